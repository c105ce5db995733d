package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.StreamState;
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
  /** A private pool that keeps free memory for itself, and the bytes that it would give back. */
  private record Keeper(Arena pool, long freeBytes) {
    @Override
    public String toString() {
      return wayToEnd() + ", which keeps " + ByteSize.format(freeBytes) + " for itself";
    }

    private String wayToEnd() {
      int graphs = pool.graphs();
      boolean hasScopes = pool.isClosed() && pool.uses() > graphs;
      if (graphs > 0) {
        return "close the graphs "
            + (hasScopes ? "and end the open scopes of " : "of ")
            + pool
            + (pool.isClosed() ? "" : " and trim it");
      }
      String way = hasScopes ? "end the open scopes of " : "close or trim ";
      return (pool.isClosed() || pool.uses() == 1 ? way : "trim ") + pool;
    }
  }

  private final Arena arena;
  private final Device device;
  private final Heap heap;
  private final long size;
  private final long alignment;
  private final @Nullable MemoryInfo info;
  private final UnreleasableChunks own;

  /** The other private pools that keep free memory, the pool with most bytes first. */
  private final List<Keeper> keepers = new ArrayList<>();

  /** Bytes of chunks that captures keep from being reused. */
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
   * @param owner the stream of the request
   * @param size bytes of the block for the request
   * @param info the device's memory; null if the driver did not report it
   */
  OutOfMemoryAdvice(
      Arena arena,
      PoolRegistry pools,
      StreamState owner,
      long size,
      long alignment,
      @Nullable MemoryInfo info) {
    this.arena = arena;
    this.device = pools.device();
    this.heap = arena.heap;
    this.size = size;
    this.alignment = alignment;
    this.info = info;
    this.own = arena.unreleasable(owner, alignment);
    this.reservedOfDevice = heap.limit.reserved();
    pools.members().forEach(each -> add(each, pools.captured().isAny()));
    keepers.sort(Comparator.comparingLong(Keeper::freeBytes).reversed());
    this.limit = heap.limit.ofAll();
    this.ownLimit = arena.id == 0 ? Long.MAX_VALUE : heap.limit.own();
    this.obtainable =
        info == null
            ? device.getProperties().totalMemoryBytes()
            : info.freeBytes() + reservedOfDevice;
  }

  private void add(Arena pool, boolean isCapturing) {
    UnreleasableChunks chunks = pool == arena ? own : pool.unreleasable(null, 1);
    long reserved = pool.heap.limit.held();
    boolean isKeeper = pool != arena && pool.id != 0 && !pool.isEnded();
    long bytes = isKeeper ? reserved : chunks.bytes();
    long ofGraphs = pool.graphs() > 0 && !isCapturing ? chunks.capturedBytes() : 0;
    long free = reserved - chunks.bytes() + ofGraphs;
    if (isKeeper && free > 0) {
      keepers.add(new Keeper(pool, free));
    }
    captured += chunks.stuckBytes();
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

  /** Returns what a block of a size lacks. */
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
      return eitherOf(askForLess(new Remedies()))
          + ": the device has "
          + ByteSize.format(heap.totalBytes)
          + " in all";
    }
    Lack lack = lackOf(size);
    if (lack.most() <= 0) {
      return refusedWithoutNeed();
    }
    boolean isBelowLimits = size <= Math.min(limit, ownLimit);
    List<Keeper> asked = lack.ofOwnLimit > 0 || !isBelowLimits ? List.of() : keepersOf(lack);
    long kept = asked.stream().mapToLong(Keeper::freeBytes).sum();
    if (kept >= lack.most()) {
      return textOf(asked) + reasons(lack);
    }
    Remedies ways = new Remedies();
    if (lack.ofDevice <= 0 && lack.ofOwnLimit <= 0) {
      ways.raise(lack.ofLimit);
    }
    if (isBelowLimits) {
      addFree(ways, lack);
    }
    if (lack.ofOwnLimit > 0) {
      addNewPool(ways);
    } else if (ways.isEmpty()) {
      addOthers(ways, lack, asked, kept);
    }
    askForLess(ways);
    return eitherOf(ways) + reasons(lack);
  }

  private void addFree(Remedies ways, Lack lack) {
    long toFree = lackAnywhere();
    if (lack.ofOwnLimit <= 0 && capturedForRequest >= toFree) {
      ways.add("end the captures and close their graphs");
    }
    ways.freeOf(own.closableBytes(), own.anyToClose(toFree));
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

  /** Adds the ways to free memory of other pools and of other users of the device. */
  private void addOthers(Remedies ways, Lack lack, List<Keeper> asked, long kept) {
    long rest = own.anyToClose(lackAnywhere() - kept);
    long others = info == null ? 0 : info.getUsedBytes() - reservedOfDevice;
    if (kept > 0 && rest != Long.MAX_VALUE) {
      ways.add(textOf(asked) + "; then free " + ByteSize.formatUp(rest));
    } else if (lack.ofDevice > 0 && lack.ofDevice <= others) {
      Remedies first = lack.ofLimit > 0 ? new Remedies().raise(lack.ofLimit) : new Remedies();
      ways.freeOfOthers(first.toString(), lack.ofDevice, others);
    }
  }

  /** Returns as few pools as possible that keep what is missing, or all that keep any of it. */
  private List<Keeper> keepersOf(Lack lack) {
    List<Keeper> asked = new ArrayList<>();
    long bytes = 0;
    for (Keeper each : keepers) {
      if (bytes < lack.most() && (each.pool.isOfDevice() || lack.ofDevice <= 0)) {
        asked.add(each);
        bytes += each.freeBytes;
      }
    }
    return asked;
  }

  private static String textOf(List<Keeper> asked) {
    return asked.stream().map(Keeper::toString).collect(Collectors.joining("; "));
  }

  private static String eitherOf(Remedies ways) {
    return ways.isEmpty() ? "use a larger device" : ways.toString();
  }

  private String refusedWithoutNeed() {
    return arena.isOfDevice()
        ? "enough is free, but the driver refused it: another user of the device may have held it a"
            + " moment ago, or a fault was planned; try again, or let a RetryingAllocator do so"
            + driverUnknown()
        : "let its SegmentSource provide more" + byCaptures();
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

  // ---- reasons ----

  private String reasons(Lack lack) {
    return (lack.ofOwnLimit > 0
            ? ": the limit of " + arena + " is " + ByteSize.format(ownLimit)
            : inPieces())
        + byCaptures()
        + driverUnknown();
  }

  /**
   * Explains that free memory between live blocks of segments cannot move, as it can with virtual
   * memory.
   */
  private String inPieces() {
    long pieces = own.bytes() - own.stuckBytes() - own.liveBytes();
    if (heap.isVirtual() || !arena.isOfDevice() || pieces < size) {
      return "";
    }
    return "; "
        + ByteSize.format(pieces)
        + " are free in pieces between live blocks, which "
        + (device.supports(Capability.VIRTUAL_MEMORY)
            ? "the option virtual-memory avoids"
            : "a device with virtual memory avoids");
  }

  private String byCaptures() {
    return captured == 0
        ? ""
        : "; captures hold "
            + ByteSize.format(captured)
            + " of freed memory until they are ended or their streams are closed";
  }

  private String driverUnknown() {
    return info == null && arena.isOfDevice()
        ? "; the driver did not report the device's free memory"
        : "";
  }
}
