package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.UnreleasableChunks;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.support.Remedies;

/**
 * Finds the smallest changes after which a refused request succeeds: by how much to raise the
 * limit, how many bytes to free, and for how many to ask. Each is enough by itself, unless other
 * threads or other users of the device take the memory meanwhile.
 *
 * <p>A request succeeds if the chunks that cannot move or return, and those that it needs besides,
 * fit the limits and the device.
 */
final class OutOfMemoryAdvice {
  /** How many pools the advice names. */
  private static final int MOST_NAMED = 3;

  /** A private pool that keeps free memory for itself, and the bytes that a trim returns. */
  private record Keeper(Arena pool, long bytes) {}

  private final Arena arena;
  private final Heap heap;
  private final long size;
  private final long alignment;
  private final @Nullable MemoryInfo info;
  private final UnreleasableChunks own;

  /**
   * The other private pools that keep free memory for themselves; the one that keeps most first.
   */
  private final List<Keeper> keepers = new ArrayList<>();

  /** Bytes of free memory that the keepers have, without that of graphs. */
  private long kept;

  /** Bytes of the device that return if the allocations of other pools are closed, and trims. */
  private long closableOfOthers;

  /** The part of {@link #staying} that stays whatever the program closes. */
  private long lost;

  private long lostOfDevice;

  /** Bytes of free memory that captures and graphs hold. */
  private long captured;

  /** The part of {@link #captured} that this pool could use after the captures end, and a trim. */
  private long capturedForRequest;

  /** Bytes of chunks of all pools that stay. */
  private long staying;

  /** The part of {@link #staying} that is memory of the device, not of users' sources. */
  private long stayingOfDevice;

  /** Bytes of the device's memory that all pools have reserved. */
  private long reservedOfDevice;

  /** The limit over all pools in bytes. */
  private final long limit;

  private final long ownLimit;

  /** Bytes of the device's memory that all pools could reserve. */
  private final long obtainable;

  /**
   * Collects the figures.
   *
   * @param arena the pool that refused the request
   * @param size bytes of the block for the request
   * @param info the device's memory; null if the driver did not report it
   */
  OutOfMemoryAdvice(
      Arena arena, PoolRegistry pools, long size, long alignment, @Nullable MemoryInfo info) {
    this.arena = arena;
    this.heap = arena.heap;
    this.size = size;
    this.alignment = alignment;
    this.info = info;
    this.own = arena.unreleasable(alignment);
    this.reservedOfDevice = heap.limit.reserved();
    pools.members().forEach(this::add);
    keepers.sort(Comparator.comparingLong(Keeper::bytes).reversed());
    this.limit = heap.limit.ofAll();
    this.ownLimit = arena.id == 0 ? Long.MAX_VALUE : heap.limit.own();
    this.obtainable =
        info == null
            ? pools.device().getProperties().totalMemoryBytes()
            : info.freeBytes() + reservedOfDevice;
  }

  private void add(Arena pool) {
    UnreleasableChunks chunks = pool == arena ? own : pool.unreleasable(1);
    long reserved = pool.heap.limit.held();
    boolean isKeeper = pool != arena && pool.id != 0 && !pool.isEnded();
    long bytes = isKeeper ? reserved : chunks.bytes();
    long free = reserved - chunks.bytes();
    if (isKeeper && pool.isOfDevice() && free > 0) {
      keepers.add(new Keeper(pool, free));
      kept += free;
    }
    closableOfOthers += pool != arena && pool.isOfDevice() ? bytes - chunks.keptBytes() : 0;
    lost += chunks.lostBytes();
    lostOfDevice += pool.isOfDevice() ? chunks.lostBytes() : 0;
    captured += chunks.capturedBytes();
    if (!isKeeper && pool.isOfDevice() == arena.isOfDevice() && arena.graphs() == 0) {
      capturedForRequest += chunks.capturedBytes();
    }
    staying += bytes;
    stayingOfDevice += pool.isOfDevice() ? bytes : 0;
    reservedOfDevice -= pool.isOfDevice() ? 0 : reserved;
  }

  // ---- what is missing ----

  /** The bytes that a block lacks of each; nothing if a figure is not positive. */
  private record Lack(long ofLimit, long ofOwnLimit, long ofDevice) {
    long most() {
      return Math.max(ofLimit, Math.max(ofOwnLimit, ofDevice));
    }
  }

  private Lack lackOf(long bytes) {
    long missing = own.missingFor(bytes);
    return isServedWithout(missing)
        ? new Lack(bytes - limit, bytes - ownLimit, Long.MIN_VALUE)
        : lackOfMore(missing);
  }

  private Lack lackOfMore(long missing) {
    return new Lack(
        staying + missing - limit,
        own.bytes() + missing - ownLimit,
        // A user's source does not say how much it has.
        arena.isOfDevice() ? stayingOfDevice + missing - obtainable : Long.MIN_VALUE);
  }

  /** Returns whether the pool needs no more memory, even if its limit was lowered below. */
  private boolean isServedWithout(long missing) {
    return missing == 0 || (heap.isVirtual() && missing <= own.releasableBytes());
  }

  // ---- the remedies ----

  /** Returns the advice, which follows "to do: " in the message. */
  String find() {
    if (size > heap.totalBytes) {
      String less = askForLess(new Remedies()).toString();
      return (less.isEmpty() ? "use a larger device" : less)
          + ": the device has "
          + ByteSize.format(heap.totalBytes)
          + " in all";
    }
    Lack lack = lackOf(size);
    if (lack.most() <= 0) {
      return refusedWithoutNeed();
    }
    Remedies ways = new Remedies();
    boolean isBelowLimits = size <= Math.min(limit, ownLimit);
    if (lack.ofDevice <= 0 && lack.ofOwnLimit <= 0) {
      ways.raise(lack.ofLimit);
    }
    if (isBelowLimits) {
      addFree(ways, lack);
    }
    if (lack.ofOwnLimit > 0) {
      addNewPool(ways);
    } else if (ways.isEmpty()) {
      addOthers(ways, lack);
    }
    askForLess(ways);
    return (ways.isEmpty() ? lastResort(lack) : ways)
        + (lack.ofOwnLimit > 0
            ? ": the limit of " + arena + " is " + ByteSize.format(ownLimit)
            : "")
        + (isBelowLimits && lack.ofOwnLimit <= 0 && 0 < kept && kept < lack.most()
            ? "; a trim of " + namesOf(keepers) + " frees " + ByteSize.format(kept)
            : "")
        + (captured == 0 ? "" : "; captures hold " + ByteSize.format(captured) + " of freed memory")
        + driverUnknown();
  }

  private void addFree(Remedies ways, Lack lack) {
    if (lack.ofOwnLimit <= 0 && kept >= lack.most()) {
      addTrim(ways, lack.most());
    }
    long toFree = lackAnywhere();
    if (lack.ofOwnLimit <= 0 && capturedForRequest >= toFree) {
      ways.add("end the captures and close their graphs");
    }
    ways.freeOf(own.closableBytes(), own.anyToClose(toFree));
  }

  /** Adds to trim the fewest pools that keep the missing bytes. */
  private void addTrim(Remedies ways, long missing) {
    int count = 0;
    long freed = 0;
    while (freed < missing) {
      freed += keepers.get(count++).bytes;
    }
    ways.add(
        "trim " + namesOf(keepers.subList(0, count)) + ", which frees " + ByteSize.format(freed));
  }

  private static String namesOf(List<Keeper> some) {
    int more = some.size() - MOST_NAMED;
    return some.stream()
            .limit(MOST_NAMED)
            .map(each -> each.pool.toString())
            .collect(Collectors.joining(" and "))
        + (more > 0 ? " and " + more + " more" : "");
  }

  /** Returns what helps if no number does. */
  private String lastResort(Lack lack) {
    if (lack.ofOwnLimit <= 0 && closableOfOthers >= lack.most()) {
      return "close the allocations of other pools and trim these";
    }
    long needed = heap.bytesFor(size, alignment);
    boolean isAllEnough =
        lost + needed <= limit
            && own.lostBytes() + needed <= ownLimit
            && (!arena.isOfDevice() || lostOfDevice + needed <= obtainable);
    return isAllEnough
        ? "close all allocations, captures and graphs and trim all pools"
        : "nothing that this program can free suffices" + (size > limit ? " below the limit" : "");
  }

  /** Returns what a block lacks after closes, when it may have to lie elsewhere. */
  private long lackAnywhere() {
    return lackOfMore(heap.bytesFor(size, alignment)).most();
  }

  /** Adds to replace a pool whose own limit is too low, because that limit cannot change. */
  private void addNewPool(Remedies ways) {
    long needed = heap.bytesFor(size, alignment);
    Lack lack = lackOfMore(needed + own.releasableBytes());
    if (lack.ofDevice <= 0) {
      String first = lack.ofLimit > 0 ? new Remedies().raise(lack.ofLimit) + ", and " : "";
      ways.add(
          first + "allocate from a new pool with a limit of at least " + ByteSize.formatUp(needed));
    }
  }

  /** Adds the way to free memory of other users of the device, if they hold enough. */
  private void addOthers(Remedies ways, Lack lack) {
    long others = info == null ? 0 : info.getUsedBytes() - reservedOfDevice;
    if (lack.ofDevice > 0 && lack.ofDevice <= others) {
      Remedies first = lack.ofLimit > 0 ? new Remedies().raise(lack.ofLimit) : new Remedies();
      ways.freeOfOthers(first.toString(), lack.ofDevice, others);
    }
  }

  private String refusedWithoutNeed() {
    return arena.isOfDevice()
        ? "enough is free, but the driver refused it: another user of the device may have held it a"
            + " moment ago, or a fault was planned; try again, or let a RetryingAllocator do so"
            + driverUnknown()
        : "let its SegmentSource provide more";
  }

  // ---- the largest request ----

  /** Adds the largest request that would succeed now. */
  private Remedies askForLess(Remedies ways) {
    long most = Math.min(size, Math.min(limit, ownLimit));
    // A free piece of a segment serves either large requests or small ones.
    long large = mostBetween(SizeRules.SMALL_LIMIT, most);
    return ways.askForAtMost(
        large > SizeRules.SMALL_LIMIT
            ? large
            : mostBetween(0, Math.min(SizeRules.SMALL_LIMIT, most)));
  }

  /** Returns the largest request above {@code least} and up to {@code most}, or {@code least}. */
  private long mostBetween(long least, long most) {
    long served = least;
    long refused = most + 1;
    while (refused - served > 1) {
      long middle = (served + refused) >>> 1;
      if (lackOf(arena.blockSizeOf(middle)).most() <= 0) {
        served = middle;
      } else {
        refused = middle;
      }
    }
    return served;
  }

  private String driverUnknown() {
    return info == null && arena.isOfDevice()
        ? "; the driver did not report the device's free memory"
        : "";
  }
}
