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

/** The units that are not assigned to a member. Returned units come first, the others in order. */
final class PendingUnits {
  private final Deque<Piece> pieces;
  private long units;

  PendingUnits(Collection<Piece> pieces) {
    this.pieces = new ArrayDeque<>(pieces);
    this.units = pieces.stream().mapToLong(Piece::units).sum();
  }

  /**
   * Returns the units from 0 to {@code units} that are not finished.
   *
   * @param finished completed tiles, in any order; may overlap
   * @throws InvalidArgumentException if a tile lies beyond {@code units}
   */
  static List<Piece> without(Collection<Tile> finished, long units) {
    List<Piece> left = new ArrayList<>();
    long next = 0;
    for (Tile tile : finished.stream().sorted(Comparator.comparingLong(Tile::from)).toList()) {
      if (tile.from() < 0 || tile.to() > units) {
        throw new InvalidArgumentException(
            "finished tile "
                + tile
                + " is outside of this work, which has "
                + units
                + " units;"
                + " resume with the tiles of the same work");
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
    // Saturates on overflow, unlike Duration.toNanos.
    return TimeUnit.NANOSECONDS.convert(time);
  }

  long units() {
    return units;
  }

  boolean isEmpty() {
    return units == 0;
  }

  /** Returns the first piece that the member may take; null if there is none. */
  @Nullable Piece peek(int ordinal) {
    for (Piece piece : pieces) {
      if (!piece.failedOn().contains(ordinal)) {
        return piece;
      }
    }
    for (Piece piece : pieces) {
      // No device failed on this piece: the member was only overdue, and may be the only one left.
      if (piece.failures() == 0) {
        return piece;
      }
    }
    return null;
  }

  /** Takes {@code count} units from the front of a piece that {@link #peek} returned. */
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

  /** Removes and returns all pieces in order. */
  List<Piece> drain() {
    List<Piece> all = new ArrayList<>(pieces);
    all.sort(Comparator.comparingLong(Piece::from));
    pieces.clear();
    units = 0;
    return all;
  }
}
