package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.HeldChunks;
import org.vramkit.pool.caching.internal.option.SizeRules;

/**
 * Finds the smallest change after which a refused request succeeds. Each alternative is enough by
 * itself, unless other threads or other users of the device take the memory meanwhile.
 *
 * <p>A request succeeds if the held chunks and the chunks for it fit the limit and the device. All
 * other chunks can move or return once the work that uses them is done.
 */
final class OutOfMemoryAdvice {
  /** A private pool that keeps free memory for itself, and the bytes that it would give back. */
  private record Keeper(Arena pool, long freeBytes) {
    boolean isOfDevice() {
      return pool.isOfDevice();
    }
  }

  private final Arena arena;
  private final Device device;
  private final Heap heap;
  private final long size;
  private final long alignment;
  private final @Nullable MemoryInfo info;
  private final HeldChunks own;

  /** The other private pools that keep free memory, the pool with most bytes first. */
  private final List<Keeper> keepers = new ArrayList<>();

  /** Bytes of the live blocks of all pools. */
  private long live;

  /** Bytes of chunks that captures keep from being reused. */
  private long captured;

  /** The part of {@link #captured} that this pool could use after the captures end, and a trim. */
  private long capturedForRequest;

  /** Bytes of new chunks for the request. */
  private final long needed;

  /** Bytes that all pools would reserve if the request were served and all free memory returned. */
  private long wanted;

  /** The part of {@link #wanted} that is memory of the device, not of users' sources. */
  private long wantedOfDevice;

  /** Bytes of the device's memory that all pools have reserved. */
  private long reservedOfDevice;

  /** The limit over all pools in bytes. */
  private final long limit;

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
    this.device = pools.device();
    this.heap = arena.heap;
    this.size = size;
    this.alignment = alignment;
    this.info = info;
    this.own = arena.heldChunks();
    this.needed = own.bytesFor(size, alignment);
    this.wanted = needed;
    this.wantedOfDevice = arena.isOfDevice() ? needed : 0;
    this.reservedOfDevice = heap.limit.reserved();
    pools.members().forEach(each -> add(each, pools.captured().isAny()));
    keepers.sort(Comparator.comparingLong(Keeper::freeBytes).reversed());
    this.limit = heap.limit.ofAll();
    this.obtainable =
        info == null
            ? device.getProperties().totalMemoryBytes()
            : info.freeBytes() + reservedOfDevice;
  }

  private void add(Arena pool, boolean isCapturing) {
    HeldChunks held = pool == arena ? own : pool.heldChunks();
    long reserved = pool.heap.limit.held();
    boolean isKeeper = pool != arena && pool.id != 0 && !pool.isEnded();
    long bytes = isKeeper ? reserved : held.bytes();
    long ofGraphs = pool.graphs() > 0 && !isCapturing ? held.capturedBytes() : 0;
    long free = reserved - held.bytes() + ofGraphs;
    if (isKeeper && free > 0) {
      keepers.add(new Keeper(pool, free));
    }
    live += held.liveBytes();
    captured += held.stuckBytes();
    if (!isKeeper && pool.isOfDevice() == arena.isOfDevice() && arena.graphs() == 0) {
      capturedForRequest += held.capturedBytes();
    }
    wanted += bytes;
    wantedOfDevice += pool.isOfDevice() ? bytes : 0;
    reservedOfDevice -= pool.isOfDevice() ? 0 : reserved;
  }

  /** Returns the advice, which follows "to do: " in the message. */
  String find() {
    if (size > heap.totalBytes) {
      return either(askForLess().stream().toList())
          + ": the device has "
          + ByteSize.format(heap.totalBytes)
          + " in all";
    }
    long lackOfOwn = lackOfOwnLimit();
    long lack = Math.max(lackOfLimit(), lackOfDevice());
    if (lackOfOwn > 0) {
      return beyondOwnLimit(lackOfOwn, lack);
    }
    if (lack <= 0) {
      return refusedWithoutNeed();
    }
    return fromKeepers().orElseGet(() -> fromLive(lack)) + byCaptures() + driverUnknown();
  }

  /** Returns by how many bytes the limit of all pools is too low; not positive if it is not. */
  private long lackOfLimit() {
    return wanted - limit;
  }

  /**
   * Returns the bytes to raise the limit by if nothing is closed. The request can then use the free
   * ends of held chunks.
   */
  private long leastRaise() {
    long least = lackOfLimit() - needed + own.missingFor(size, alignment);
    return least > 0 ? least : lackOfLimit();
  }

  /**
   * Returns how many bytes the device lacks; not positive if none. Unknown, and so negative, for a
   * user's source.
   */
  private long lackOfDevice() {
    return arena.isOfDevice() ? wantedOfDevice - obtainable : Long.MIN_VALUE;
  }

  /**
   * Returns by how many bytes the own limit of a private pool is too low; not positive if it is
   * not.
   */
  private long lackOfOwnLimit() {
    boolean isLimited = arena.id != 0 && heap.limit.own() != Long.MAX_VALUE;
    return isLimited ? own.bytes() + needed - heap.limit.own() : Long.MIN_VALUE;
  }

  private String beyondOwnLimit(long lackOfOwn, long lack) {
    List<String> ways = waysToFree(Math.max(lackOfOwn, lack));
    // The limit of a pool cannot change, and a new pool cannot use the free memory of this one.
    ways.addAll(
        roomFor(
            heap.limit.held() - own.bytes(),
            "allocate from a new pool with a limit of at least " + ByteSize.formatUp(needed)));
    askForLess().ifPresent(ways::add);
    return either(ways) + ": the limit of " + arena + " is " + ByteSize.format(heap.limit.own());
  }

  private String refusedWithoutNeed() {
    if (!arena.isOfDevice()) {
      List<String> ways = new ArrayList<>();
      // A source may refuse memory that was returned to it, so returning is no advice.
      HeldChunks.Closing room = roomToClose();
      if (room != null) {
        ways.add(close(room));
      }
      ways.add("let its SegmentSource provide more");
      return either(ways) + byCaptures();
    }
    return "enough is free, but the driver refused it: another user of the device may have held"
        + " it a"
        + " moment ago, or a fault was planned; try again, or let a RetryingAllocator do so"
        + driverUnknown();
  }

  /**
   * Advises to let as few other pools as possible give back their free memory; empty if that is not
   * enough.
   */
  private Optional<String> fromKeepers() {
    List<Keeper> asked = new ArrayList<>();
    long ofDevice = 0;
    for (Keeper each : keepers) {
      if (each.isOfDevice() && ofDevice < lackOfDevice()) {
        asked.add(each);
        ofDevice += each.freeBytes();
      }
    }
    long bytes = ofDevice;
    for (Keeper each : keepers) {
      if (!asked.contains(each) && bytes < lackOfLimit()) {
        asked.add(each);
        bytes += each.freeBytes();
      }
    }
    return ofDevice < lackOfDevice() || bytes < lackOfLimit()
        ? Optional.empty()
        : Optional.of(remedyOf(asked));
  }

  private static String remedyOf(List<Keeper> keepers) {
    return keepers.stream()
        .map(
            each ->
                remedyOf(each.pool)
                    + ", which keeps "
                    + ByteSize.format(each.freeBytes)
                    + " for itself")
        .collect(Collectors.joining("; "));
  }

  /** Returns the advice by which a pool that has not ended gives its free memory back. */
  private static String remedyOf(Arena pool) {
    int graphs = pool.graphs();
    if (graphs > 0) {
      boolean hasScopes = pool.isClosed() && pool.uses() > graphs;
      return "close the graphs "
          + (hasScopes ? "and end the open scopes of " : "of ")
          + pool
          + (pool.isClosed() ? "" : " and trim it");
    }
    if (pool.isClosed()) {
      return "end the open scopes of " + pool;
    }
    return (pool.uses() > 1 ? "trim " : "close or trim ") + pool;
  }

  private String fromLive(long lack) {
    List<String> ways = new ArrayList<>();
    if (lackOfDevice() <= 0) {
      ways.add(raise(leastRaise()));
    }
    if (capturedForRequest >= lack) {
      ways.add("end the captures and close their graphs");
    }
    ways.addAll(waysToFree(lack));
    if (ways.isEmpty()) {
      ways.addAll(waysOfOthers(lack));
    }
    askForLess().ifPresent(ways::add);
    return either(ways) + inPieces();
  }

  /** Lists alternatives if closing all live memory of this pool is not enough. */
  private List<String> waysOfOthers(long lack) {
    List<Keeper> useful =
        keepers.stream().filter(each -> each.isOfDevice() || lackOfDevice() <= 0).toList();
    long kept = useful.stream().mapToLong(Keeper::freeBytes).sum();
    List<String> afterKeepers = kept > 0 ? waysToFree(lack - kept) : List.of();
    if (!afterKeepers.isEmpty()) {
      return List.of(remedyOf(useful) + "; then " + afterKeepers.get(0));
    }
    return lackOfDevice() <= 0 ? List.of() : roomFor(0, "");
  }

  /**
   * Advises how all pools together can reserve more without closing live memory.
   *
   * @param more bytes needed in addition to the request
   * @param step a further step to advise; may be empty
   * @return one advice; none if the device is too small
   */
  private List<String> roomFor(long more, String step) {
    long others = info == null ? 0 : info.getUsedBytes() - reservedOfDevice;
    long lackOfDevice = arena.isOfDevice() ? lackOfDevice() + more : 0;
    if (lackOfDevice > others) {
      return List.of();
    }
    List<String> steps = new ArrayList<>();
    if (lackOfLimit() + more > 0) {
      steps.add(raise(lackOfLimit() + more));
    }
    if (!step.isEmpty()) {
      steps.add(step);
    }
    if (lackOfDevice > 0) {
      steps.add(
          "free "
              + ByteSize.formatUp(lackOfDevice)
              + "; other users of the device hold "
              + ByteSize.format(others));
    }
    return List.of(String.join(", and ", steps));
  }

  private static String either(List<String> ways) {
    return ways.isEmpty() ? "use a larger device" : String.join(", or ", ways);
  }

  /**
   * Advises to raise the limit by {@code bytes}, which is rounded up unless the device has too
   * little for that.
   */
  private String raise(long bytes) {
    String text = ByteSize.formatUp(bytes);
    long most = obtainable + wanted - wantedOfDevice - limit;
    boolean isTooMuch = ByteSize.parse(text) > Math.max(bytes, most);
    return "raise the limit by " + (isTooMuch ? bytes + " B" : text);
  }

  /** Lists the ways to free enough live allocations of this pool, the simplest first. */
  private List<String> waysToFree(long lack) {
    List<String> ways = new ArrayList<>();
    long any = own.anyToClose(lack);
    if (any != Long.MAX_VALUE) {
      ways.add("free " + ByteSize.formatUp(any));
    }
    HeldChunks.Closing cheapest = cheapestToClose(lack);
    if (cheapest != null && cheapest.bytes() < any) {
      ways.add(close(cheapest));
    }
    return ways;
  }

  private static String close(HeldChunks.Closing closing) {
    return "close the "
        + (closing.count() == 1
            ? "allocation at 0x" + Long.toHexString(closing.from())
            : Count.of(closing.count(), "allocation")
                + " from 0x"
                + Long.toHexString(closing.from())
                + " up to 0x"
                + Long.toHexString(closing.to()))
        + " ("
        + ByteSize.format(closing.bytes())
        + ")";
  }

  private HeldChunks.@Nullable Closing cheapestToClose(long lack) {
    HeldChunks.Closing chunks = own.cheapestToClose(lack);
    HeldChunks.Closing room = roomToClose();
    return room == null || (chunks != null && room.bytes() >= chunks.bytes()) ? chunks : room;
  }

  /**
   * Returns the blocks to close so that mapped memory serves the request; null if there are none
   * within the limits.
   */
  private HeldChunks.@Nullable Closing roomToClose() {
    HeldChunks.Closing room = own.roomFor(size, alignment);
    return room == null
            || live - room.bytes() > limit - size
            || own.liveBytes() - room.bytes() > heap.limit.own() - size
        ? null
        : room;
  }

  /** Advises the largest request that would succeed now; empty if there is none. */
  private Optional<String> askForLess() {
    long room = Math.min(limit - (wanted - needed), heap.limit.own() - own.bytes());
    if (arena.isOfDevice()) {
      room = Math.min(room, obtainable - (wantedOfDevice - needed));
    }
    // Held chunks need no room, so they serve requests even beyond a limit that was lowered.
    long most = mostWithin(Math.max(0, room));
    return most <= 0
        ? Optional.empty()
        : Optional.of("ask for at most " + ByteSize.formatDown(most));
  }

  /**
   * Returns the largest request that {@code room} bytes of new chunks, or the held chunks, can
   * serve.
   */
  private long mostWithin(long room) {
    long within = Math.min(limit - live, heap.limit.own() - own.liveBytes());
    long most = Math.min(within, size);
    // A free piece of a segment serves either large requests or small ones.
    long large = mostBetween(SizeRules.SMALL_LIMIT, most, room);
    return large > SizeRules.SMALL_LIMIT
        ? large
        : mostBetween(0, Math.min(SizeRules.SMALL_LIMIT, most), room);
  }

  /** Returns the largest request above {@code least} and up to {@code most}, or {@code least}. */
  private long mostBetween(long least, long most, long room) {
    long served = least;
    long refused = most + 1;
    while (refused - served > 1) {
      long middle = (served + refused) >>> 1;
      if (own.missingFor(arena.sizeOf(middle), alignment) <= room) {
        served = middle;
      } else {
        refused = middle;
      }
    }
    return served;
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
