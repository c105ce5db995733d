package org.vramkit.partition.scatter;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.plan.Tile;

/** Units that are to be done and that no device works on: first what came back, then in order. */
final class Remainder {
  private final Deque<Piece> pieces;
  private long units;

  Remainder(Collection<Piece> pieces) {
    this.pieces = new ArrayDeque<>(pieces);
    this.units = pieces.stream().mapToLong(Piece::units).sum();
  }

  /**
   * Creates the rest of the units from 0 on.
   *
   * @param finished in any order; may overlap
   * @throws InvalidArgumentException if one lies beyond the units
   */
  static List<Piece> without(Collection<Tile> finished, long units) {
    List<Piece> left = new ArrayList<>();
    long next = 0;
    for (Tile tile : finished.stream().sorted(Comparator.comparingLong(Tile::from)).toList()) {
      if (tile.from() < 0 || tile.to() > units) {
        throw new InvalidArgumentException(
            "finished " + tile + " is not of this work, which has " + units + " units");
      }
      if (tile.from() > next) {
        left.add(Piece.fresh(next, tile.from()));
      }
      next = Math.max(next, tile.to());
    }
    if (next < units) {
      left.add(Piece.fresh(next, units));
    }
    return left;
  }

  static long nanos(Duration time) {
    // A conversion that saturates, unlike toNanos.
    return TimeUnit.NANOSECONDS.convert(time);
  }

  long units() {
    return units;
  }

  boolean isEmpty() {
    return units == 0;
  }

  /** The first piece that a device may have; null if there is none. */
  @Nullable Piece peek(int ordinal) {
    for (Piece piece : pieces) {
      if (!piece.failedOn().contains(ordinal)) {
        return piece;
      }
    }
    for (Piece piece : pieces) {
      // No device failed on it: this one was late with it, and may be the only one that is left.
      if (piece.failures() == 0) {
        return piece;
      }
    }
    return null;
  }

  /** Takes units off the front of a piece that {@link #peek} returned. */
  Piece take(Piece piece, long count) {
    pieces.remove(piece);
    if (count < piece.units()) {
      pieces.addFirst(piece.after(count));
    }
    units -= count;
    return piece.first(count);
  }

  void giveBack(Piece piece) {
    pieces.addFirst(piece);
    units += piece.units();
  }

  /** Everything, in order. */
  List<Piece> drain() {
    List<Piece> all = new ArrayList<>(pieces);
    all.sort(Comparator.comparingLong(Piece::from));
    pieces.clear();
    units = 0;
    return all;
  }
}
