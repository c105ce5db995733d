package org.vramkit.pool.streamordered;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.Books;
import org.vramkit.pool.support.Streams;

/**
 * The free blocks by exact size, and all of them by age. Every method is atomic. Asks events under
 * its lock, which a device answers without blocking.
 */
final class FreeBlocks {
  private final Books books;
  private final Map<Long, LinkedHashMap<Long, FreeBlock>> bySize = new HashMap<>();
  private final LinkedHashMap<Long, FreeBlock> byAge = new LinkedHashMap<>();

  FreeBlocks(Books books) {
    this.books = books;
  }

  synchronized void add(FreeBlock block) {
    byAge.put(block.address(), block);
    bySize
        .computeIfAbsent(block.bytes(), unused -> new LinkedHashMap<>())
        .put(block.address(), block);
    books.cached(block.bytes(), block.stream());
  }

  /**
   * Takes a block of this size that needs no wait: freed on the same stream and used there only, or
   * settled. The oldest such block, as it is the likeliest to be settled.
   */
  synchronized @Nullable FreeBlock takeReady(long bytes, Stream stream) {
    FreeBlock found =
        first(bytes, each -> each.ownUseOnly() && Streams.areSame(each.stream(), stream));
    if (found == null) {
      found = first(bytes, FreeBlock::isSettled);
    }
    return found == null ? null : remove(found);
  }

  /** Takes the oldest block of this size, whatever it still waits for. */
  synchronized @Nullable FreeBlock takeAny(long bytes) {
    FreeBlock found = first(bytes, each -> true);
    return found == null ? null : remove(found);
  }

  /** Takes the oldest block of all while more than this is cached. */
  synchronized @Nullable FreeBlock takeOldestAbove(long keepBytes) {
    Iterator<FreeBlock> oldest = byAge.values().iterator();
    return oldest.hasNext() && books.getCachedBytes() > keepBytes ? remove(oldest.next()) : null;
  }

  /** Whether there is anything that {@link #takeSettled} would look at. */
  synchronized boolean hasExcess(long keepBytes, long freedBefore) {
    Iterator<FreeBlock> oldest = byAge.values().iterator();
    return oldest.hasNext()
        && (books.getCachedBytes() > keepBytes || oldest.next().isOlderThan(freedBefore));
  }

  /**
   * Takes settled blocks, oldest first, while there is more than a size or while they are old.
   *
   * @param keepBytes how much may stay
   * @param freedBefore what was freed before this time goes in any case
   */
  synchronized List<FreeBlock> takeSettled(long keepBytes, long freedBefore) {
    List<FreeBlock> taken = new ArrayList<>();
    // What a busy stream freed later cannot be settled earlier: ask once for each stream. By
    // identity, as a closed one and the one that has its handle now are two.
    Set<Stream> busy = Collections.newSetFromMap(new IdentityHashMap<>());
    for (FreeBlock each : List.copyOf(byAge.values())) {
      boolean old = each.isOlderThan(freedBefore);
      if (!old && books.getCachedBytes() <= keepBytes) {
        break;
      }
      if (busy.contains(each.stream())) {
        continue;
      }
      if (each.isSettled()) {
        taken.add(remove(each));
      } else if (each.ownUseOnly()) {
        busy.add(each.stream());
      }
    }
    return taken;
  }

  private @Nullable FreeBlock first(long bytes, Predicate<FreeBlock> fits) {
    Map<Long, FreeBlock> blocks = bySize.get(bytes);
    if (blocks != null) {
      for (FreeBlock each : blocks.values()) {
        if (fits.test(each)) {
          return each;
        }
      }
    }
    return null;
  }

  private FreeBlock remove(FreeBlock block) {
    byAge.remove(block.address());
    LinkedHashMap<Long, FreeBlock> sameSize = bySize.get(block.bytes());
    if (sameSize != null) {
      sameSize.remove(block.address());
      if (sameSize.isEmpty()) {
        bySize.remove(block.bytes());
      }
    }
    books.uncached(block.bytes(), block.stream());
    return block;
  }
}
