"""Trains a small GPT on memory of one of PyTorch's allocators or of Vramkit.

usage: torch_gpt.py PROGRAM MODE; torch_turns.py starts it and writes to its stdin how many steps to train next.
PROGRAM is fixed or varying, by the lengths of the sequences; MODE is default, expandable or vramkit.
"""
import json
import os
import pathlib
import random
import sys
import time

import torch
from torch import nn
from torch.nn import attention, functional

DEVICE = os.environ.get("TORCH_DEVICE", "cuda")
LAYERS = int(os.environ.get("TORCH_LAYERS", "8"))
WIDTH = int(os.environ.get("TORCH_WIDTH", "768"))
LONGEST = int(os.environ.get("TORCH_LONGEST", "2048"))
HEADS = 12
VOCABULARY = 32768
BATCH = 4
SEED = 20261125
LENGTHS = {"fixed": (LONGEST // 2, LONGEST // 2), "varying": (LONGEST // 16, LONGEST)}


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before_attention = nn.LayerNorm(WIDTH)
        self.attention = nn.Linear(WIDTH, 3 * WIDTH)
        self.after_attention = nn.Linear(WIDTH, WIDTH)
        self.before_mlp = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        batch, length, _ = x.shape
        heads = self.attention(self.before_attention(x)).view(batch, length, 3, HEADS, WIDTH // HEADS)
        query, key, value = heads.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.after_attention(mixed.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.mlp(self.before_mlp(x))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(LONGEST, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.last = nn.LayerNorm(WIDTH)
        for embedding in (self.tokens, self.positions):
            nn.init.normal_(embedding.weight, std=0.02)

    def forward(self, tokens, targets):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.last(self.blocks(self.tokens(tokens) + self.positions(places)))
        logits = functional.linear(x, self.tokens.weight)
        return functional.cross_entropy(logits.view(-1, VOCABULARY), targets.reshape(-1))


def text():
    """Returns tokens; each follows from the previous one, except one in ten, which is random."""
    tokens = random.Random(SEED)
    last, all_tokens = 0, []
    for _ in range(1 << 18):
        last = tokens.randrange(1000) if tokens.random() < 0.1 else (3 * last + 1) % 1000
        all_tokens.append(last)
    return torch.tensor(all_tokens)


class Training:
    """Trains the same steps in every mode."""

    def __init__(self, program):
        torch.manual_seed(SEED)
        self.text = text().to(DEVICE)
        with torch.device(DEVICE):
            self.model = Gpt()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-4)
        self.choices = random.Random(SEED)
        self.shortest, self.longest = LENGTHS[program]
        self.losses = []

    def step(self):
        length = self.choices.randint(self.shortest, self.longest)
        begin = self.choices.randrange(len(self.text) - BATCH * length)
        tokens = self.text[begin : begin + BATCH * length + 1]
        # Only flash attention has a deterministic backward pass.
        flash = attention.sdpa_kernel(attention.SDPBackend.FLASH_ATTENTION)
        with flash, torch.autocast(DEVICE, dtype=torch.bfloat16):
            loss = self.model(tokens[:-1].view(BATCH, length), tokens[1:].view(BATCH, length))
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def run(self, steps):
        """Trains steps and returns the seconds; waits for the device only after the last step."""
        losses = torch.zeros(steps, device=DEVICE)
        synchronize()
        begun = time.perf_counter()
        for i in range(steps):
            losses[i] = self.step()
        synchronize()
        seconds = time.perf_counter() - begun
        self.losses += losses.tolist()
        return seconds


def synchronize():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def pytorch_figures():
    if DEVICE != "cuda":
        return {}
    stats = torch.cuda.memory_stats()
    return {
        "requestedPeak": stats["requested_bytes.all.peak"],
        "reservedPeak": stats["reserved_bytes.all.peak"],
        "allocations": stats["allocation.all.allocated"],
        "expandable": any(each.get("is_expandable", False) for each in torch.cuda.memory_snapshot()),
    }


def figures_of(mode):
    """Installs the allocator of a mode and returns a function that reads its figures."""
    if mode != "vramkit":
        return pytorch_figures
    sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "interop" / "src" / "main" / "torch"))
    import vramkit_torch

    return vramkit_torch.install(
        os.environ["VRAMKIT_TORCH"],
        os.environ["VRAMKIT_LIBJVM"],
        os.environ["VRAMKIT_CLASS_PATH"],
        os.environ.get("VRAMKIT_JVM_OPTIONS", "").split(),
    )


def answer(what):
    print("answer:", json.dumps(what), flush=True)


def main():
    program, mode = sys.argv[1:]
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    figures = figures_of(mode)
    training = Training(program)
    answer({"device": torch.cuda.get_device_name() if DEVICE == "cuda" else DEVICE, "torch": torch.__version__})
    for line in sys.stdin:
        answer({"seconds": training.run(int(line))})
    answer({**figures(), "losses": training.losses})


if __name__ == "__main__":
    main()
