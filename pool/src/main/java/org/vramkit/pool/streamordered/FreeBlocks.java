package org.vramkit.pool.streamordered;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.Books;
import org.vramkit.pool.support.Chain;
import org.vramkit.pool.support.FreeLists;
import org.vramkit.pool.support.InFlight;
import org.vramkit.pool.support.PoolLock;
import org.vramkit.pool.support.Streams;

/**
 * The free blocks: those that all streams have passed by size, the others by size and stream, and
 * all of them by age. A block is taken out only when it is somebody's: waits and questions leave it
 * here. Every method is atomic or says what it asks the driver, which never happens under the lock.
 */
final class FreeBlocks {
  private final PoolLock lock = new PoolLock();
  private final Books books;

  /** All of them, the one freed first at the front. */
  private final Set<FreeBlock> byAge = new LinkedHashSet<>();

  private final FreeLists<Long, FreeBlock> settled;

  /** Not settled, by size. */
  private final Map<Long, Chain<FreeBlock>> waiting = new HashMap<>();

  private final InFlight<FreeBlock> inFlight =
      new InFlight<>(lock, FreeBlock::bytes, block -> block.uses, this::settle);

  FreeBlocks(Books books, HostEdge edge) {
    this.books = books;
    this.settled = new FreeLists<>(FreeBlock::bytes, edge);
  }

  /** Takes a block in, with its users marked. */
  void add(FreeBlock block) {
    lock.perform(
        () -> {
          books.cached(block.bytes, block.stream);
          byAge.add(block);
          waiting.computeIfAbsent(block.bytes, unused -> new Chain<>()).add(block);
          inFlight.add(block);
        });
  }

  /** All streams have passed its free. Locked. */
  private void settle(FreeBlock block) {
    noLongerWaiting(block);
    block.settled = true;
    settled.add(block.bytes, block);
  }

  private void noLongerWaiting(FreeBlock block) {
    Chain<FreeBlock> same = waiting.get(block.bytes);
    if (same != null) {
      same.remove(block);
      if (same.oldest() == null) {
        waiting.remove(block.bytes);
      }
    }
  }

  private FreeBlock remove(FreeBlock block) {
    if (block.settled) {
      settled.remove(block);
    } else {
      noLongerWaiting(block);
      inFlight.remove(block);
    }
    byAge.remove(block);
    books.uncached(block.bytes, block.stream);
    return block;
  }

  /**
   * Takes a block of this size that needs no wait, the newest: one that was freed on the same
   * stream and used there only, else one that is settled. Asks a few streams where there is none.
   */
  @Nullable FreeBlock takeReady(long bytes, Stream stream) {
    FreeBlock ready = lock.get(() -> ready(bytes, stream));
    if (ready == null && lock.get(() -> waiting.containsKey(bytes))) {
      inFlight.settleUntil(() -> settled.count(bytes) > 0);
      ready = lock.get(() -> ready(bytes, stream));
    }
    return ready;
  }

  private @Nullable FreeBlock ready(long bytes, Stream stream) {
    Chain<FreeBlock> same = waiting.get(bytes);
    FreeBlock each = same == null ? null : same.newest();
    while (each != null && !(each.ownUseOnly && Streams.areSame(each.stream, stream))) {
      each = each.older();
    }
    FreeBlock found = each == null ? settled.find(bytes) : each;
    return found == null ? null : remove(found);
  }

  /** Takes the block of this size that was freed first, whatever it still waits for. */
  @Nullable FreeBlock takeWaiting(long bytes) {
    return lock.get(
        () -> {
          Chain<FreeBlock> same = waiting.get(bytes);
          FreeBlock oldest = same == null ? null : same.oldest();
          return oldest == null ? null : remove(oldest);
        });
  }

  /** Whether there is anything that {@link #takeExcess} would look at. */
  boolean hasExcess(long keepBytes, long freedBefore) {
    return lock.get(
        () ->
            !byAge.isEmpty()
                && (books.getCachedBytes() > keepBytes
                    || byAge.iterator().next().isOlderThan(freedBefore)));
  }

  /** Asks a few streams what they have passed. */
  void askSome() {
    inFlight.settleUntil(() -> false);
  }

  /** Asks all streams. */
  void askAll() {
    inFlight.settleAll();
  }

  /** Waits on the host for the block that was freed first of those that wait; false without any. */
  boolean awaitOldest() {
    return inFlight.awaitOldest();
  }

  /** Takes settled blocks, oldest first, while there is more than a size. */
  List<FreeBlock> takeExcess(long keepBytes) {
    return takeExcess(keepBytes, block -> false);
  }

  /**
   * Takes settled blocks, oldest first, while there is more than a size or while they are old.
   *
   * @param keepBytes how much may stay
   * @param freedBefore what was freed before this time goes in any case
   */
  List<FreeBlock> takeExcess(long keepBytes, long freedBefore) {
    return takeExcess(keepBytes, block -> block.isOlderThan(freedBefore));
  }

  private List<FreeBlock> takeExcess(long keepBytes, Predicate<FreeBlock> old) {
    return lock.get(
        () -> {
          List<FreeBlock> excess = new ArrayList<>();
          long left = books.getCachedBytes();
          for (FreeBlock each : byAge) {
            if (left <= keepBytes && !old.test(each)) {
              break;
            }
            if (each.settled) {
              excess.add(each);
              left -= each.bytes;
            }
          }
          excess.forEach(this::remove);
          return excess;
        });
  }

  /** Takes all blocks, whatever they wait for. */
  List<FreeBlock> takeAll() {
    return lock.get(
        () -> {
          List<FreeBlock> all = List.copyOf(byAge);
          all.forEach(this::remove);
          return all;
        });
  }
}
