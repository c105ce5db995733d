package org.vramkit.sim.replay;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds the operand that contains an address: a live one, else the one freed last. */
final class MemoryNames {
  /** The alignment of allocations; the slack at the end of an allocation still belongs to it. */
  private static final long UNIT = 512;

  private record Piece(int operand, long start, long end) {
    boolean holds(long address) {
      return address >= start && address < end;
    }
  }

  private final TreeMap<Long, Piece> live = new TreeMap<>();
  private final TreeMap<Long, Piece> dead = new TreeMap<>();

  void add(int operand, long start, long bytes) {
    long end = start + (bytes + UNIT - 1) / UNIT * UNIT;
    Map.Entry<Long, Piece> before = dead.lowerEntry(start);
    if (before != null && before.getValue().end() > start) {
      dead.remove(before.getKey());
    }
    dead.subMap(start, end).clear();
    live.put(start, new Piece(operand, start, end));
  }

  /** Ends the operand that starts at an address. */
  void end(long start) {
    Piece piece = live.remove(start);
    if (piece != null) {
      dead.put(start, piece);
    }
  }

  ByteRange range(long address, long bytes) {
    Piece piece = at(live, address);
    if (piece == null) {
      piece = at(dead, address);
    }
    return piece == null
        ? new ByteRange(ByteRange.NOWHERE, address, bytes)
        : new ByteRange(piece.operand(), address - piece.start(), bytes);
  }

  private static @Nullable Piece at(NavigableMap<Long, Piece> pieces, long address) {
    Map.Entry<Long, Piece> entry = pieces.floorEntry(address);
    return entry != null && entry.getValue().holds(address) ? entry.getValue() : null;
  }
}
