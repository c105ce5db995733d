package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
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
 * itself, as long as other threads and other users of the device leave the memory alone.
 *
 * <p>A request succeeds where the chunks that are held and a new chunk for it stay within the
 * limit, and within what the device could give: all else moves or goes back once the work that uses
 * it is done.
 */
final class OutOfMemoryAdvice {
  private final Arena arena;
  private final Device device;
  private final Heap heap;
  private final long size;
  private final long alignment;
  private final @Nullable MemoryInfo info;
  private final HeldChunks own;
  private final List<PoolRegistry.Keeper> keepers;

  /** Bytes of live blocks of all pools. */
  private final long live;

  /** Bytes of chunks that captures keep from being used again. */
  private final long captured;

  /** The part of them that this pool could use if the captures had ended, now or after a trim. */
  private final long capturedForRequest;

  /** Bytes of chunks for the request. */
  private final long needed;

  /** Bytes that would be reserved, by all pools, once it is served and all else went back. */
  private final long wanted;

  /** The part of them that is the device's memory, and not that of users' sources. */
  private final long wantedOfDevice;

  /** Bytes of the device that all pools have reserved. */
  private final long reservedOfDevice;

  /** Bytes that the limit allows, and that the device could give. */
  private final long limit;

  private final long obtainable;

  /**
   * Collects what decides.
   *
   * @param arena has no memory
   * @param size of the block that was refused
   * @param info null if the driver did not tell
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
    this.keepers = pools.keepers(arena);
    this.needed = own.bytesFor(size, alignment);
    List<Arena> open = pools.open();
    long stuck = 0;
    long usable = 0;
    long lives = 0;
    long ofDevice = arena.isOfDevice() ? needed : 0;
    long ofSources = arena.isOfDevice() ? 0 : needed;
    long reserved = heap.books.reserved();
    for (Arena each : pools.members()) {
      HeldChunks held = each == arena ? own : each.heldChunks();
      boolean isKeeper = each != arena && open.contains(each);
      long bytes = isKeeper ? each.heap.books.held() : held.bytes();
      ofDevice += each.isOfDevice() ? bytes : 0;
      ofSources += each.isOfDevice() ? 0 : bytes;
      reserved -= each.isOfDevice() ? 0 : each.heap.books.held();
      stuck += held.stuckBytes();
      usable += isKeeper || each.isOfDevice() != arena.isOfDevice() ? 0 : held.capturedBytes();
      lives += held.liveBytes();
    }
    this.captured = stuck;
    this.capturedForRequest = arena.graphs() > 0 ? 0 : usable;
    this.live = lives;
    this.wanted = ofDevice + ofSources;
    this.wantedOfDevice = ofDevice;
    this.reservedOfDevice = reserved;
    this.limit = heap.books.limitOfAll();
    this.obtainable =
        info == null ? device.getProperties().totalMemoryBytes() : info.freeBytes() + reserved;
  }

  /** The advice, to follow "to do: ". */
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

  /** How much the limit of all pools is too low; not positive if it is not. */
  private long lackOfLimit() {
    return wanted - limit;
  }

  /** By how much to raise the limit if nothing is closed: free ends of held chunks serve then. */
  private long leastRaise() {
    long least = lackOfLimit() - needed + own.missingFor(size, alignment);
    return least > 0 ? least : lackOfLimit();
  }

  /** How much the device could give too little; a user's source tells nothing. */
  private long lackOfDevice() {
    return arena.isOfDevice() ? wantedOfDevice - obtainable : Long.MIN_VALUE;
  }

  /** How much the limit of the private pool itself is too low; negative if it is not. */
  private long lackOfOwnLimit() {
    boolean isLimited = arena.id != 0 && heap.books.ownLimit() != Long.MAX_VALUE;
    return isLimited ? own.bytes() + needed - heap.books.ownLimit() : Long.MIN_VALUE;
  }

  private String beyondOwnLimit(long lackOfOwn, long lack) {
    List<String> ways = waysToFree(Math.max(lackOfOwn, lack));
    // A pool keeps its limit for life, and what it keeps is missing to a new one.
    ways.addAll(
        roomFor(
            heap.books.held() - own.bytes(),
            "allocate from a new pool with a limit of at least " + ByteSize.formatUp(needed)));
    askForLess().ifPresent(ways::add);
    return either(ways)
        + ": the limit of "
        + arena
        + " is "
        + ByteSize.format(heap.books.ownLimit());
  }

  private String refusedWithoutNeed() {
    if (!arena.isOfDevice()) {
      List<String> ways = new ArrayList<>();
      // What goes back to the source it may give again, or not.
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

  /** Has as few other pools as possible give back what they keep; empty if that is not enough. */
  private Optional<String> fromKeepers() {
    List<PoolRegistry.Keeper> asked = new ArrayList<>();
    long ofDevice = 0;
    for (PoolRegistry.Keeper each : keepers) {
      if (each.isOfDevice() && ofDevice < lackOfDevice()) {
        asked.add(each);
        ofDevice += each.freeBytes();
      }
    }
    long bytes = ofDevice;
    for (PoolRegistry.Keeper each : keepers) {
      if (!asked.contains(each) && bytes < lackOfLimit()) {
        asked.add(each);
        bytes += each.freeBytes();
      }
    }
    return ofDevice < lackOfDevice() || bytes < lackOfLimit()
        ? Optional.empty()
        : Optional.of(remedyOf(asked));
  }

  private static String remedyOf(List<PoolRegistry.Keeper> keepers) {
    return keepers.stream()
        .map(
            each ->
                each.remedy()
                    + ", which keeps "
                    + ByteSize.format(each.freeBytes())
                    + " for itself")
        .collect(Collectors.joining("; "));
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

  /** Lists alternatives where closing all live memory of this pool would not suffice. */
  private List<String> waysOfOthers(long lack) {
    List<PoolRegistry.Keeper> useful =
        keepers.stream().filter(each -> each.isOfDevice() || lackOfDevice() <= 0).toList();
    long kept = useful.stream().mapToLong(PoolRegistry.Keeper::freeBytes).sum();
    List<String> afterKeepers = kept > 0 ? waysToFree(lack - kept) : List.of();
    if (!afterKeepers.isEmpty()) {
      return List.of(remedyOf(useful) + "; then " + afterKeepers.get(0));
    }
    return lackOfDevice() <= 0 ? List.of() : roomFor(0, "");
  }

  /**
   * Lets all pools together reserve more, without closing anything that is live in them.
   *
   * @param more bytes that are wanted besides
   * @param step that is taken besides; may be empty
   * @return nothing where the device is too small
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

  /** Advises to raise the limit by {@code bytes}, as far as the device allows. */
  private String raise(long bytes) {
    String text = ByteSize.formatUp(bytes);
    long most = obtainable + wanted - wantedOfDevice - limit;
    boolean isTooMuch = ByteSize.parse(text) > Math.max(bytes, most);
    return "raise the limit by " + (isTooMuch ? bytes + " B" : text);
  }

  /** Each way to close live allocations of this pool that is enough, the simplest first. */
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
   * Returns the blocks to close so that reserved memory serves, within the limits of live bytes.
   */
  private HeldChunks.@Nullable Closing roomToClose() {
    HeldChunks.Closing room = own.roomFor(size, alignment);
    return room == null
            || live - room.bytes() > limit - size
            || own.liveBytes() - room.bytes() > heap.books.ownLimit() - size
        ? null
        : room;
  }

  /** The most that could be had now, where that is less than what was asked for. */
  private Optional<String> askForLess() {
    long room = Math.min(limit - (wanted - needed), heap.books.ownLimit() - own.bytes());
    if (arena.isOfDevice()) {
      room = Math.min(room, obtainable - (wantedOfDevice - needed));
    }
    long most = mostWithin(room);
    return most <= 0
        ? Optional.empty()
        : Optional.of("ask for at most " + ByteSize.formatDown(most));
  }

  /** Returns the largest request that chunks of {@code room} bytes, or held ones, serve. */
  private long mostWithin(long room) {
    boolean isAligned = alignment > SizeRules.ALIGNMENT;
    long within = Math.min(limit - live, heap.books.ownLimit() - own.liveBytes());
    long wished = Math.min(within, size);
    long largest = isAligned ? room : own.mostFor(room, wished);
    long served = 0;
    long refused = Math.min(largest, wished) + 1;
    while (refused - served > 1) {
      long middle = (served + refused) >>> 1;
      long block = arena.sizeOf(middle);
      long needs = isAligned ? own.bytesFor(block, alignment) : block;
      if (needs <= largest) {
        served = middle;
      } else {
        refused = middle;
      }
    }
    return served;
  }

  /** Segments keep what is free between live blocks, which virtual memory would move. */
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
