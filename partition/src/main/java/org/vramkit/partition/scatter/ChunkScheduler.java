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
 * Assigns chunks to members. Uses no threads and no clock: the caller passes events with their
 * times, so the same events give the same chunks. Guarded by the run's lock.
 */
/*
 * Chunk size
 * ==========
 *
 * A member's share of the unfinished units is in proportion to its weight: its measured rate or,
 * before any measurement, its score scaled to the rates of the others. Its chunks in progress count
 * towards the share. A chunk is half of the share, so that later chunks can balance the load, and at
 * most 1/32 of the member's share of all units, so that a member that slows down holds few. Before
 * the first measurement a member gets probes, one at a time.
 *
 * The end
 * -------
 * Chunks shrink to the minimum size; the last chunk of a range is up to twice that, so that none is
 * smaller. From then on a member gets a chunk only if no other would finish
 * it earlier, counting the other's chunks in progress (greedy list scheduling). The other takes it at
 * its next request, so at least one chunk is always in progress while units are pending.
 *
 * Returned units
 * --------------
 * Units of a member that failed, ran out of memory or is overdue are assigned first, in chunks of the
 * same sizes, to members that have not failed on them.
 *
 * A given order
 * -------------
 * Under a planned or recorded schedule each member has a list of chunks. A chunk that needs too much
 * memory is halved in place. If a member is removed, its list is returned as above. Returned units of
 * a plan stay whole, as far as memory allows, and failed ones go to the best member that is left.
 */
final class ChunkScheduler {
  private static final int PARTS_OF_SHARE = 32;
  private static final int PARTS_OF_PROBE = 64;

  /** Number of device failures after which units are left for the CPU. */
  private static final int MAX_FAILURES = 2;

  private static final double MIN_CHUNK_NANOS = 100_000;

  /** Time after which a queued chunk's thread is considered busy with other work. */
  private static final long QUEUED_NANOS = 1_000_000;

  final List<Member> members;
  private final double largestScore;
  private final PendingUnits rest;

  /** The units that a given order assigns, by the ordinal of the member. */
  private final Map<Integer, Deque<Piece>> ordered = new HashMap<>();

  /** Units that no device may try again. */
  private final List<Piece> leftForCpu = new ArrayList<>();

  private final long least;

  /** True if returned units stay as large as they were planned. */
  private final boolean isPlanned;

  /** False if chunks stay with the devices of a given order as long as those work. */
  private final boolean isGuided;

  private final long all;
  private int assigned;
  private int moves;

  /**
   * Creates a scheduler.
   *
   * @param left the units to assign
   * @param order the chunks of a planned or recorded schedule; ignored under a guided one
   * @param units the number of all units
   */
  ChunkScheduler(
      List<Member> members, List<Piece> left, Schedule schedule, List<Tile> order, long units) {
    this.members = List.copyOf(members);
    this.largestScore = members.stream().mapToDouble(each -> each.score).max().orElse(0);
    this.least = schedule.least();
    this.isPlanned = schedule.isPlanned();
    this.isGuided = schedule.isGuided();
    this.all = left.stream().mapToLong(Piece::units).sum();
    this.rest = new PendingUnits(isGuided ? left : List.of());
    if (!isGuided) {
      assignOrdered(order, left, units);
    }
  }

  /** Assigns the unfinished units to the members of a given order. */
  private void assignOrdered(List<Tile> order, List<Piece> left, long units) {
    List<Tile> tiles = new ArrayList<>(order);
    tiles.sort(Comparator.comparingLong(Tile::from));
    long covered = 0;
    for (Tile tile : tiles) {
      if (tile.from() < covered || tile.to() > units) {
        throw uncovered(tile.from(), Math.max(covered, units));
      }
      covered = tile.to();
    }
    for (Piece hole : PendingUnits.without(tiles, units)) {
      for (Piece piece : left) {
        if (hole.from() < piece.to() && piece.from() < hole.to()) {
          throw uncovered(Math.max(hole.from(), piece.from()), Math.min(hole.to(), piece.to()));
        }
      }
    }
    for (Tile tile : order) {
      int index = assigned++;
      for (Piece piece : left) {
        long from = Math.max(piece.from(), tile.from());
        long to = Math.min(piece.to(), tile.to());
        if (from < to) {
          ordered
              .computeIfAbsent(tile.ordinal(), ordinal -> new ArrayDeque<>())
              .add(Piece.of(index, from, to));
        }
      }
    }
    for (Integer ordinal : List.copyOf(ordered.keySet())) {
      if (members.stream().noneMatch(member -> member.ordinal == ordinal && !member.out)) {
        releaseOrdered(ordinal);
      }
    }
  }

  private static InvalidArgumentException uncovered(long from, long to) {
    return new InvalidArgumentException(
        "the recorded order does not cover each unit exactly once, between "
            + Math.min(from, to)
            + " and "
            + Math.max(from, to)
            + "; pass all chunks of a run over the same number of units");
  }

  /** Releases the chunks that a given order has for a member to all others. */
  void releaseOrdered(int ordinal) {
    Deque<Piece> own = ordered.remove(ordinal);
    if (own != null) {
      own.descendingIterator().forEachRemaining(rest::giveBack);
    }
  }

  /** Returns whether all units are assigned. */
  boolean isAllAssigned() {
    return rest.isEmpty() && ordered.isEmpty();
  }

  int moves() {
    return moves;
  }

  /** Returns whether another member may take the units of the chunk. */
  boolean hasOther(Chunk chunk) {
    Member member = chunk.member;
    return members.stream()
        .anyMatch(
            each ->
                each != member
                    && !each.out
                    && each.overdueChunks == 0
                    && (each.score > 0 || member.score == 0)
                    && !chunk.piece.failedOn().contains(each.ordinal));
  }

  /** Assigns chunks to the members that may have more in progress, and returns the new chunks. */
  List<Chunk> assign(long now) {
    List<Chunk> chunks = new ArrayList<>();
    if (isAllAssigned()) {
      return chunks;
    }
    // Each member gets one chunk before any gets two. After each assignment start again: a member
    // that was refused before may be the best one now.
    for (int depth = 0; depth < 2; ) {
      Chunk chunk = assignAtDepth(depth, now);
      if (chunk != null) {
        chunks.add(chunk);
      }
      depth = chunk == null ? depth + 1 : 0;
    }
    return chunks;
  }

  private @Nullable Chunk assignAtDepth(int depth, long now) {
    for (Member member : members) {
      if (member.chunks == depth && member.isFree()) {
        Chunk chunk = assignTo(member, now);
        if (chunk != null) {
          return chunk;
        }
      }
    }
    return null;
  }

  private @Nullable Chunk assignTo(Member member, long now) {
    Deque<Piece> own = ordered.get(member.ordinal);
    if (own != null) {
      Piece piece = own.remove();
      if (own.isEmpty()) {
        ordered.remove(member.ordinal);
      }
      return chunk(piece, member, now);
    }
    Piece piece = rest.peek(member.ordinal);
    if (piece == null) {
      return null;
    }
    long size = isPlanned ? sizeOfPlanned(member, piece) : size(member, piece, now);
    return size == 0 ? null : chunk(rest.take(piece, size), member, now);
  }

  private Chunk chunk(Piece piece, Member member, long now) {
    int index = piece.index() == Piece.NEXT ? assigned++ : piece.index();
    if (piece.attempts() > 0) {
      moves++;
    }
    member.chunks++;
    member.units += piece.units();
    member.speed.begun(now);
    return new Chunk(piece, member, index, now);
  }

  /** Returns the size of a returned chunk of a plan; 0 if a better member should take it. */
  private long sizeOfPlanned(Member member, Piece piece) {
    boolean isBest =
        members.stream()
            .filter(each -> !each.out && !piece.failedOn().contains(each.ordinal))
            .findFirst()
            .filter(best -> best != member)
            .isEmpty();
    return piece.failures() == 0 || isBest ? Math.min(piece.units(), member.cap) : 0;
  }

  /** Returns the size of the member's next chunk; 0 if another member should take the units. */
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
        Math.max(least, member.speed.isKnown() ? (long) (member.rate(now) * MIN_CHUNK_NANOS) : 0);
    long size = Math.max(lower, (long) Math.min(share / 2, most));
    // A rest below the minimum joins the chunk: alone it would be a chunk that is too small.
    size = piece.units() - size < least ? piece.units() : size;
    size = Math.min(size, member.cap);
    return share / 2 < lower && isBetterElsewhere(member, piece, size, zero, measure, now)
        ? 0
        : size;
  }

  /**
   * Returns the expected rate of a device with the largest score, in units per nanosecond, by the
   * rates of measured members; 1 if no member is measured.
   */
  private double measure(long now) {
    double scores = 0;
    double rates = 0;
    for (Member each : members) {
      double rate = each.rate(now);
      if (rate > 0 && each.score > 0) {
        scores += relativeScore(each);
        rates += rate;
      }
    }
    return scores > 0 ? rates / scores : 1;
  }

  private double weight(Member member, double measure, long now) {
    double rate = member.rate(now);
    return member.score == 0 ? 0 : rate > 0 ? rate : relativeScore(member) * measure;
  }

  /** Returns the score as a share of the largest one, so that sums of scores cannot overflow. */
  private double relativeScore(Member member) {
    return Math.max(Double.MIN_NORMAL, member.score / largestScore);
  }

  private boolean isBetterElsewhere(
      Member member, Piece piece, long size, boolean zero, double measure, long now) {
    double own = zero ? 1 : weight(member, measure, now);
    double end = member.backlog(own, now) + size / own;
    for (Member each : members) {
      boolean may =
          each != member
              && !each.out
              && each.overdueChunks == 0
              && each.cap > 0
              && !piece.failedOn().contains(each.ordinal);
      double weight = zero ? 1 : weight(each, measure, now);
      if (may && weight > 0 && each.backlog(weight, now) + size / weight < end) {
        return true;
      }
    }
    return false;
  }

  /** Records that a chunk is done. */
  void finished(Chunk chunk, long now) {
    Member member = chunk.member;
    int depth = member.depth();
    member.chunks--;
    member.units -= chunk.piece.units();
    member.finished++;
    member.speed.finished(chunk.piece.units(), depth, now);
  }

  /**
   * Records that a chunk was not done.
   *
   * @param back the units of the chunk, with the failures counted so far
   */
  void dropped(Chunk chunk, Piece back, long now) {
    Member member = chunk.member;
    member.chunks--;
    member.units -= chunk.piece.units();
    member.speed.dropped(now);
    if (back.failures() < MAX_FAILURES) {
      rest.giveBack(back);
    } else {
      leftForCpu.add(back);
    }
  }

  /** Records that a chunk of several units needed too much memory. */
  void halved(Chunk chunk, long now) {
    Member member = chunk.member;
    Piece piece = chunk.piece;
    long half = piece.units() / 2;
    member.cap = Math.min(member.cap, half);
    if (isGuided || member.out) {
      dropped(chunk, piece.again(), now);
      return;
    }
    member.chunks--;
    member.units -= piece.units();
    member.speed.dropped(now);
    Deque<Piece> own = ordered.computeIfAbsent(member.ordinal, ordinal -> new ArrayDeque<>());
    own.addFirst(piece.after(half));
    own.addFirst(piece.first(half));
  }

  /** Removes a member from the run. */
  void takeOut(Member member) {
    member.out = true;
    releaseOrdered(member.ordinal);
  }

  /** Removes all devices from the run. */
  void takeOutDevices() {
    members.stream().filter(each -> !each.isCpu()).forEach(this::takeOut);
  }

  /**
   * Returns a chunk that has waited too long for a busy thread while another member is idle.
   *
   * @return the chunk to withdraw; null if there is none
   */
  @Nullable Chunk queuedTooLong(List<Chunk> inProgress, long now) {
    boolean idle =
        members.stream().anyMatch(each -> each.isFree() && each.chunks == 0 && each.score > 0);
    if (!idle || !isGuided) {
      return null;
    }
    for (Chunk chunk : inProgress) {
      if (chunk.state == Chunk.State.QUEUED
          && now - chunk.assignedNanos > QUEUED_NANOS
          && hasOther(chunk)) {
        return chunk;
      }
    }
    return null;
  }

  /** Removes and returns all unassigned units in order, for the CPU. */
  List<Piece> drain() {
    List.copyOf(ordered.keySet()).forEach(this::releaseOrdered);
    leftForCpu.forEach(rest::giveBack);
    return rest.drain();
  }
}
