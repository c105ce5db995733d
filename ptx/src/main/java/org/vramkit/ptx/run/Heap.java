package org.vramkit.ptx.run;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.memory.Memory;
import org.vramkit.ptx.memory.MemoryPiece;

/** The heap of {@code malloc} and {@code free} on the device. It lives as long as its module. */
public final class Heap {
  /** Bytes in use at most, the driver's default. */
  private static final long MOST = 8 << 20;

  private static final long START = 1L << 55;

  private final TreeMap<Long, MemoryPiece> pieces = new TreeMap<>();
  private long next = START;
  private long used;

  /** Returns the address of new bytes, or 0 if there is no room. */
  public long allocate(long bytes) {
    if (bytes <= 0 || bytes > MOST - used) {
      return 0;
    }
    long address = next;
    pieces.put(address, new MemoryPiece(new byte[(int) bytes], 0, address, (int) bytes));
    used += bytes;
    // A gap keeps accesses behind the end from other pieces.
    next += (bytes + 31 & -16) + 64;
    return address;
  }

  /** Frees bytes of a memory that has looked at them; returns whether the address was allocated. */
  public boolean free(long address, GlobalMemory from) {
    MemoryPiece piece = pieces.remove(address);
    if (piece != null) {
      used -= piece.length();
      from.forget(address, piece.length());
    }
    return piece != null || address == 0;
  }

  /** Returns whether an address belongs to the heap of a module. */
  static boolean contains(long address) {
    return address >= START;
  }

  Memory over(Memory memory) {
    return address -> address >= START && address < next ? find(address) : memory.find(address);
  }

  private @Nullable MemoryPiece find(long address) {
    var below = pieces.floorEntry(address);
    MemoryPiece piece = below == null ? null : below.getValue();
    return piece != null && address < piece.address() + piece.length() ? piece : null;
  }
}
