package org.vramkit.partition.scatter;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.plan.Tile;

/**
 * Deals chunks to devices. Knows no threads and no clock: its caller says what happened and when,
 * so that the same events give the same chunks. Guarded by the run's lock.
 */
/*
 * How large a chunk is
 * ====================
 *
 * A member's share of what is unfinished is by its weight among all: its rate, or, while it has
 * shown none, its score in the others' measure. What it has under way already counts towards that.
 * A chunk is half of the share, so that there is always something left to even out with, and at most
 * a thirty-second of the member's share of all, so that a member that slows down keeps little to itself.
 * Until a member has shown a rate its chunks are probes, one at a time.
 *
 * The end
 * -------
 * Chunks shrink down to the least size. Then a member gets one only if no other would be done with
 * it sooner, after what that has under way: the greedy rule, best for a few units of any size. That
 * other one takes it when it next asks; so something is always under way while units wait.
 *
 * What comes back
 * ---------------
 * Units whose member failed, ran out of memory or is overdue are dealt first, in chunks of the same
 * sizes, to all that have not failed on them. A recorded order is dealt to each member as its own
 * list; what a member that is out leaves of it goes the same way.
 */
final class Dealer {
  private static final int PARTS_OF_SHARE = 32;
  private static final int PARTS_OF_PROBE = 64;

  /** Devices that units may fail on before they are set aside. */
  private static final int MOST_FAILURES = 2;

  private static final double LEAST_NANOS = 100_000;

  /** Longer than any thread takes to begin what it was dealt, unless it is busy elsewhere. */
  private static final long QUEUED_NANOS = 1_000_000;

  final List<Member> members;
  private final Remainder rest;
  private final Map<Integer, Deque<Placed>> recorded = new HashMap<>();

  /** Units that no device is to try again. */
  private final List<Piece> aside = new ArrayList<>();

  private final long least;

  /** Its chunks stay with their devices as long as those live. */
  private final boolean isRecorded;

  private final long all;
  private int dealt;
  private int moves;

  /** A tile of a recorded order, with its place there. */
  private record Placed(Piece piece, int index) {}

  Dealer(List<Member> members, List<Piece> left, Schedule schedule, long units) {
    this.members = List.copyOf(members);
    this.least = schedule.least();
    this.isRecorded = schedule.isRecorded();
    this.all = left.stream().mapToLong(Piece::units).sum();
    this.rest = new Remainder(schedule.isRecorded() ? List.of() : left);
    if (schedule.isRecorded()) {
      place(schedule.order(), left, units);
    }
  }

  /** Lays a recorded order upon what is left; what lies outside of it was done before. */
  private void place(List<Tile> order, List<Piece> left, long units) {
    List<Tile> tiles = new ArrayList<>(order);
    tiles.sort(Comparator.comparingLong(Tile::from));
    long covered = 0;
    for (Tile tile : tiles) {
      if (tile.from() < covered || tile.to() > units) {
        throw uncovered(tile.from(), Math.max(covered, units));
      }
      covered = tile.to();
    }
    for (Piece hole : Remainder.without(tiles, units)) {
      for (Piece piece : left) {
        if (hole.from() < piece.to() && piece.from() < hole.to()) {
          throw uncovered(Math.max(hole.from(), piece.from()), Math.min(hole.to(), piece.to()));
        }
      }
    }
    for (Tile tile : order) {
      int index = dealt++;
      for (Piece piece : left) {
        long from = Math.max(piece.from(), tile.from());
        long to = Math.min(piece.to(), tile.to());
        if (from < to) {
          recorded
              .computeIfAbsent(tile.ordinal(), ordinal -> new ArrayDeque<>())
              .add(new Placed(Piece.fresh(from, to), index));
        }
      }
    }
    for (Integer ordinal : List.copyOf(recorded.keySet())) {
      if (members.stream().noneMatch(member -> member.ordinal == ordinal && !member.out)) {
        unplace(ordinal);
      }
    }
  }

  private static InvalidArgumentException uncovered(long from, long to) {
    return new InvalidArgumentException(
        "the recorded order does not cover each unit once: look between "
            + Math.min(from, to)
            + " and "
            + Math.max(from, to)
            + "; give it all chunks of a run of as many units");
  }

  /** Removes a member: any other may do what was recorded for it. */
  void unplace(int ordinal) {
    Deque<Placed> own = recorded.remove(ordinal);
    if (own != null) {
      own.descendingIterator().forEachRemaining(each -> rest.giveBack(each.piece()));
    }
  }

  /** Returns whether no units are left to deal. */
  boolean isAllDealt() {
    return rest.isEmpty() && recorded.isEmpty();
  }

  int moves() {
    return moves;
  }

  /** Returns whether another one than this may have such units. */
  boolean hasOther(Chunk chunk) {
    Member member = chunk.member;
    return members.stream()
        .anyMatch(
            each ->
                each != member
                    && !each.out
                    && each.stuck == 0
                    && (each.score > 0 || member.score == 0)
                    && !chunk.piece.failedOn().contains(each.ordinal));
  }

  /** Chunks for all that have nothing or too little to do. */
  List<Chunk> deal(long now) {
    List<Chunk> chunks = new ArrayList<>();
    if (isAllDealt()) {
      return chunks;
    }
    // Each member gets a chunk before any gets two; one that got none may be next best meanwhile.
    for (int depth = 0; depth < 2; ) {
      Chunk chunk = dealAt(depth, now);
      if (chunk != null) {
        chunks.add(chunk);
      }
      depth = chunk == null ? depth + 1 : 0;
    }
    return chunks;
  }

  private @Nullable Chunk dealAt(int depth, long now) {
    for (Member member : members) {
      if (member.chunks == depth && member.isFree()) {
        Chunk chunk = dealTo(member, now);
        if (chunk != null) {
          return chunk;
        }
      }
    }
    return null;
  }

  private @Nullable Chunk dealTo(Member member, long now) {
    Deque<Placed> own = recorded.get(member.ordinal);
    if (own != null) {
      Placed placed = own.remove();
      if (own.isEmpty()) {
        recorded.remove(member.ordinal);
      }
      return chunk(placed.piece(), member, placed.index(), now);
    }
    Piece piece = rest.peek(member.ordinal);
    if (piece == null) {
      return null;
    }
    long size = size(member, piece, now);
    return size == 0 ? null : chunk(rest.take(piece, size), member, dealt++, now);
  }

  private Chunk chunk(Piece piece, Member member, int index, long now) {
    if (piece.attempts() > 0) {
      moves++;
    }
    member.chunks++;
    member.units += piece.units();
    member.speed.begun(now);
    return new Chunk(piece, member, index, now);
  }

  /** 0 if another member is to have it. */
  private long size(Member member, Piece piece, long now) {
    double measure = measure(now);
    double total = 0;
    double unfinished = rest.units();
    boolean zero = members.stream().allMatch(each -> each.out || weight(each, measure, now) == 0);
    for (Member each : members) {
      if (!each.out) {
        total += zero ? 1 : weight(each, measure, now);
        unfinished += each.units;
      }
    }
    double weight = zero ? 1 : weight(member, measure, now);
    if (weight == 0) {
      return 0;
    }
    double part = weight / total;
    double share = unfinished * part - member.units;
    double most = all * part / (member.isProbing() ? PARTS_OF_PROBE : PARTS_OF_SHARE);
    long lower =
        Math.max(least, member.speed.isKnown() ? (long) (member.rate(now) * LEAST_NANOS) : 0);
    long size = Math.max(lower, (long) Math.min(share / 2, most));
    size = Math.min(Math.min(size, piece.units()), member.cap);
    return share / 2 < lower && isBetterElsewhere(member, piece, size, zero, measure, now)
        ? 0
        : size;
  }

  /** Returns units a nanosecond for a score of 1, by members that have shown both; else 1. */
  private double measure(long now) {
    double scores = 0;
    double rates = 0;
    for (Member each : members) {
      double rate = each.rate(now);
      if (rate > 0 && each.score > 0) {
        scores += each.score;
        rates += rate;
      }
    }
    return scores > 0 ? rates / scores : 1;
  }

  private static double weight(Member member, double measure, long now) {
    double rate = member.rate(now);
    return member.score == 0 ? 0 : rate > 0 ? rate : member.score * measure;
  }

  private boolean isBetterElsewhere(
      Member member, Piece piece, long size, boolean zero, double measure, long now) {
    double own = zero ? 1 : weight(member, measure, now);
    double end = member.backlog(own, now) + size / own;
    for (Member each : members) {
      boolean may =
          each != member
              && !each.out
              && each.stuck == 0
              && each.cap > 0
              && !piece.failedOn().contains(each.ordinal);
      double weight = zero ? 1 : weight(each, measure, now);
      if (may && weight > 0 && each.backlog(weight, now) + size / weight < end) {
        return true;
      }
    }
    return false;
  }

  /** A chunk was done. */
  void finished(Chunk chunk, long now) {
    Member member = chunk.member;
    int depth = member.depth();
    member.chunks--;
    member.units -= chunk.piece.units();
    member.finished++;
    member.speed.finished(chunk.piece.units(), depth, now);
  }

  /**
   * A chunk was not done.
   *
   * @param back its units, with what the next ones should know
   */
  void dropped(Chunk chunk, Piece back, long now) {
    Member member = chunk.member;
    member.chunks--;
    member.units -= chunk.piece.units();
    member.speed.dropped(now);
    if (back.failures() < MOST_FAILURES) {
      rest.giveBack(back);
    } else {
      aside.add(back);
    }
  }

  /** A member gets nothing more. */
  void takeOut(Member member) {
    member.out = true;
    unplace(member.ordinal);
  }

  /**
   * A chunk that waits for a busy thread, for a member that has nothing to do: because all is
   * dealt, or because it is to leave the rest to the very member that cannot begin.
   *
   * @return what to give back first; null if there is none
   */
  @Nullable Chunk queuedTooLong(List<Chunk> underWay, long now) {
    boolean idle =
        members.stream().anyMatch(each -> each.isFree() && each.chunks == 0 && each.score > 0);
    if (!idle || isRecorded) {
      return null;
    }
    for (Chunk chunk : underWay) {
      if (chunk.state == Chunk.State.QUEUED
          && now - chunk.dealtNanos > QUEUED_NANOS
          && hasOther(chunk)) {
        return chunk;
      }
    }
    return null;
  }

  /** Takes all units that no device works on, in order; for the CPU. */
  List<Piece> drain() {
    List.copyOf(recorded.keySet()).forEach(this::unplace);
    aside.forEach(rest::giveBack);
    return rest.drain();
  }
}
