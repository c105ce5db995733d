"""Takes memory as PyTorch does, on several threads: trains.py LIBRARY LIBJVM CLASS_PATH"""
import sys
import threading

import torch
import vramkit_torch

MIB = 1 << 20

try:
    vramkit_torch.install(sys.argv[1], sys.argv[2] + ".none", sys.argv[3])
except RuntimeError as e:
    print("no JVM, no memory:", e)
statistics = vramkit_torch.install(*sys.argv[1:], ["-Dvramkit.backend=sim"])


def step():
    memory = torch.cuda.current.allocate(MIB, 0, None)
    torch.cuda.current.record_stream(memory, None)
    torch.cuda.current.free(memory, MIB, 0, None)


threads = [threading.Thread(target=step) for _ in range(3)]
for each in threads:
    each.start()
for each in threads:
    each.join()
step()
kept = torch.cuda.current.allocate(MIB, 0, None)
print("holds", statistics()["requested"], "in", statistics()["allocations"])
torch.cuda.current.free(kept, MIB, 0, None)
torch.cuda.current.empty_cache()
print("at the end", statistics()["requested"], "of", statistics()["reserved"])
