#!/usr/bin/env python3
"""Trains a small GPT on PyTorch's allocators and on Vramkit, each in its own process, which take turns.

usage: gpu/torch_turns.py OUT; writes OUT/torch.jsonl, a line for each run, and the output of all processes to OUT/torch.log
TORCH_MODES         "default expandable vramkit"; vramkit:move-time=0 is Vramkit with an option
TORCH_PROGRAMS      "fixed varying"
TORCH_WARM_STEPS    number of steps before the measured ones, 100
TORCH_STEPS         number of steps of a turn, 20
TORCH_ROUNDS        number of turns of each process, 12
"""
import collections
import json
import os
import pathlib
import queue
import statistics
import subprocess
import sys
import threading

MODES = os.environ.get("TORCH_MODES", "default expandable vramkit").split()
PROGRAMS = os.environ.get("TORCH_PROGRAMS", "fixed varying").split()
WARM_STEPS = int(os.environ.get("TORCH_WARM_STEPS", "100"))
STEPS = int(os.environ.get("TORCH_STEPS", "20"))
ROUNDS = int(os.environ.get("TORCH_ROUNDS", "12"))
PEER = "expandable"
ANSWER = "answer: "
LIMIT_S = 120


class Failed(Exception):
    pass


class Trainer:
    """A process that trains in one mode when train is called."""

    def __init__(self, program, mode, log):
        name, _, options = mode.partition(":")
        settings = {
            "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True" if name == "expandable" else "",
            "VRAMKIT_ALLOCATOR_CONF": options,
            # Makes matrix products deterministic.
            "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
        }
        environment = {each: value for each, value in {**os.environ, **settings}.items() if settings.get(each) != ""}
        self.run = {"program": program, "mode": mode}
        self.last_lines = collections.deque(maxlen=3)
        self.process = subprocess.Popen(
            [sys.executable, str(pathlib.Path(__file__).with_name("torch_gpt.py")), program, name],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.answers = queue.Queue()
        threading.Thread(target=self.listen, args=(log,), daemon=True).start()

    def listen(self, log):
        for line in self.process.stdout:
            if line.startswith(ANSWER):
                self.answers.put(json.loads(line.removeprefix(ANSWER)))
            else:
                self.last_lines.append(line.strip())
                log.write(f"{self.run['program']} {self.run['mode']}: {line}")
        self.answers.put(None)

    def answer(self):
        try:
            answer = self.answers.get(timeout=LIMIT_S)
        except queue.Empty:
            raise Failed(f"no answer within {LIMIT_S} s: {self.last_output()}") from None
        if answer is None:
            raise Failed(f"exit status {self.process.wait()}: {self.last_output()}")
        return answer

    def last_output(self):
        return " / ".join(self.last_lines).replace("|", "/")

    def train(self, steps):
        """Trains steps and returns the milliseconds per step."""
        try:
            self.process.stdin.write(f"{steps}\n")
            self.process.stdin.flush()
        except OSError as e:
            raise Failed(f"{e}: {self.last_output()}") from None
        return 1e3 * self.answer()["seconds"] / steps

    def end(self):
        self.process.stdin.close()
        self.run.update(self.answer())
        self.run["exitStatus"] = self.process.wait(LIMIT_S)


def attempt(trainers, action):
    """Calls action for each trainer that has not failed."""
    for trainer in trainers:
        if "failed" not in trainer.run:
            try:
                action(trainer)
            except (Failed, subprocess.TimeoutExpired) as e:
                trainer.run["failed"] = str(e)
                trainer.process.kill()


def measure(program, log):
    trainers = [Trainer(program, mode, log) for mode in MODES]
    attempt(trainers, lambda each: each.run.update(each.answer()))
    attempt(trainers, lambda each: each.run.update(warmMillis=each.train(WARM_STEPS), millis=[]))
    for _ in range(ROUNDS):
        attempt(trainers, lambda each: each.run["millis"].append(each.train(STEPS)))
    attempt(trainers, Trainer.end)
    return [each.run for each in trainers]


COLUMNS = [
    "program",
    "memory",
    "ms a step, median of turns (least, most)",
    f"/ {PEER}'s, median of turns",
    "first steps, ms each",
    "reserved, GiB",
    f"/ {PEER}'s",
    "requested, GiB",
    "allocations a step",
    "losses",
]


def table(runs):
    """Returns a Markdown table with a row per program and mode, compared with the peer's time, memory and losses."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for run in runs:
        alike = [each for each in runs if each["program"] == run["program"] and "failed" not in each]
        peer = next((each for each in alike if each["mode"] == PEER), None)
        cells = [f"failed: {run['failed']}"] if "failed" in run else [*times(run, peer), *memory(run, peer), losses(run, peer)]
        cells = [run["program"], run["mode"], *cells]
        lines.append("| " + " | ".join(cells + [""] * (len(COLUMNS) - len(cells))) + " |")
    return "\n".join(lines)


def times(run, peer):
    millis = run["millis"]
    ratio = statistics.median(mine / theirs for mine, theirs in zip(millis, peer["millis"])) if peer else None
    return [f"{statistics.median(millis):.2f} ({min(millis):.2f}, {max(millis):.2f})", number(ratio), f"{run['warmMillis']:.2f}"]


def memory(run, peer):
    reserved, theirs = run.get("reservedPeak"), (peer or {}).get("reservedPeak")
    requested, allocations = run.get("requestedPeak"), run.get("allocations")
    return [
        number(reserved and reserved / 2**30),
        number(reserved and theirs and reserved / theirs),
        number(requested and requested / 2**30),
        number(allocations and allocations / len(run["losses"])),
    ]


def number(value):
    return "" if value is None else f"{value:.3f}"


def losses(run, peer):
    ends = f"{run['losses'][0]:.4f} to {run['losses'][-1]:.4f}"
    if run["exitStatus"] != 0:
        ends += f", then exit status {run['exitStatus']}"
    if peer is None or run is peer:
        return ends
    apart = max(abs(mine - theirs) for mine, theirs in zip(run["losses"], peer["losses"]))
    return f"{ends}, equal" if apart == 0 else f"{ends}, at most {apart:.2g} apart"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    runs = []
    with open(out / "torch.log", "w") as log, open(out / "torch.jsonl", "w") as lines:
        for program in PROGRAMS:
            measured = measure(program, log)
            runs += measured
            lines.writelines(json.dumps(run) + "\n" for run in measured)
            lines.flush()
    print(table(runs))
    if any("failed" in run or run["exitStatus"] != 0 for run in runs):
        sys.exit(1)


if __name__ == "__main__":
    main()
