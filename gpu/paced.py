"""Formats the results of the step paced of gpu/run as Markdown tables."""
import json
import statistics

COLUMNS = {
    "vramkit-javacpp": "Vramkit, JavaCPP",
    "vramkit-ffm": "Vramkit, foreign functions",
    "vramkit-jcuda": "Vramkit, JCuda",
    "vramkit-sim": "Vramkit, simulator",
    "pytorch": "PyTorch",
    "pytorch-expandable": "PyTorch, expandable",
    "driver-pool": "driver pool",
}
TRACES = ["gpt", "growing", "streams", "serve", "fixed", "gnn", "prefetch"]
PACES = {"recorded": "At recorded pace", "full": "At full speed"}
MEANING = "share of the program's time; p50 / p99 / p99.9 / longest us; reserved / requested peak"


def tables(outs):
    """Returns Markdown tables with medians over the folders; empty if there are no measurements."""
    lines = [line for out in outs for file in sorted(out.glob("paced*.jsonl")) for line in file.read_text().splitlines()]
    alike = {}
    for run in map(json.loads, lines):
        alike.setdefault(tuple(run[name] for name in ("allocator", "jvm", "trace", "pace")), []).append(run)
    runs = [median(each) for each in alike.values()]
    text = []
    for pace, title in PACES.items():
        text += table(f"{title}, passes after the first: ns an event, {MEANING}", later(runs, pace))
        text += table(f"{title}, first pass: ms in the allocator, {MEANING}", first(runs, pace))
    return "\n".join(text)


def median(runs):
    """Returns a run whose figures are the medians of several runs."""
    return {**runs[0], **{passes: median_of([run[passes] for run in runs]) for passes in ("first", "later")}}


def median_of(figures):
    if figures[0] is None:
        return None
    return {name: statistics.median(each[name] for each in figures) for name, value in figures[0].items() if isinstance(value, (int, float))}


def later(runs, pace):
    for run in runs:
        if run["pace"] == pace and run["later"] is not None:
            yield run["trace"], run["allocator"], cell(f"{run['later']['nanosPerEvent']:.0f} ns", run["later"])


def first(runs, pace):
    for run in runs:
        if run["pace"] == pace:
            row = run["trace"] + (", cold JVM" if run["jvm"] == "cold" else "")
            yield row, run["allocator"], cell(f"{run['first']['millis']:.3g} ms", run["first"])


def cell(time, figures):
    percentiles = " / ".join(micros(figures[name]) for name in ("p50Nanos", "p99Nanos", "p999Nanos"))
    text = f"{time}, {100 * figures['share']:.1f} %; {percentiles} / {figures['longestNanos'] / 1e3:.0f}"
    if figures["longestCollectedNanos"] > 0:
        text += f" (with a garbage collection {figures['longestCollectedNanos'] / 1e3:.0f})"
    return f"{text}; {figures['reservedRatio']:.3f}"


def micros(nanos):
    """Formats microseconds with two significant digits, or as a whole number from 10 on."""
    return f"{nanos / 1e3:.0f}" if nanos >= 10_000 else f"{nanos / 1e3:.2g}"


def table(title, entries):
    cells = {}
    for row, allocator, value in entries:
        cells.setdefault(row, {})[allocator] = value
    if not cells:
        return []
    columns = [each for each in COLUMNS if any(each in row for row in cells.values())]
    lines = [f"{title}.", "", "| trace | " + " | ".join(COLUMNS[each] for each in columns) + " |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    for row in sorted(cells, key=order):
        lines.append(f"| {row} | " + " | ".join(cells[row].get(each, "") for each in columns) + " |")
    return [*lines, ""]


def order(row):
    """Sorts known programs first, others by name, and a cold JVM after a warm one."""
    name = row.split(",")[0]
    return (TRACES.index(name) if name in TRACES else len(TRACES), row)
