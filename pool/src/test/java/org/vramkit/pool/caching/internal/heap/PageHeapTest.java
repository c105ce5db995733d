package org.vramkit.pool.caching.internal.heap;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.mockito.Mockito.mock;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.caching.internal.cache.CacheBacking;
import org.vramkit.pool.caching.internal.cache.CacheCredit;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.stats.LiveUsage;
import org.vramkit.pool.caching.internal.stats.ReservedMemory;
import org.vramkit.pool.caching.internal.stream.EventPool;
import org.vramkit.pool.caching.internal.stream.InFlightCalls;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.driver.Fault;

@DisplayName("The heap over pages")
class PageHeapTest {
  private final Block.Table numbers = new Block.Table();
  private final CachingAllocatorOptions options = mock(CachingAllocatorOptions.class);
  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimDevice device = backend.getDevice(0);
  private final EventPool events = new EventPool(device);

  @AfterEach
  void close() {
    events.close();
    backend.close();
  }

  private PageHeap newHeap(long limit) {
    return newHeap(limit, 0);
  }

  /** One that may create so many bytes instead of moving pages. */
  private PageHeap newHeap(long limit, long earned) {
    return newHeap(limit, earned, new MoveTime(1, backend::getTimeNanos));
  }

  private PageHeap newHeap(long limit, long earned, MoveTime time) {
    Slack slack = new Slack(time, () -> earned, () -> false);
    return new PageHeap(device, options, 8, slack, new ReservedMemory(limit), numbers);
  }

  private StreamCache newStream() {
    return new StreamCache(
        device.createStream(),
        mock(CacheBacking.class),
        new InFlightCalls(),
        options,
        mock(CacheCredit.class),
        new LiveUsage(0),
        events,
        numbers,
        0,
        1);
  }

  @ParameterizedTest(name = "{0} MiB of room: {1} pages move")
  @CsvSource({"0, 10", "32, 4", "64, 0"})
  @DisplayName("creates pages instead of moving them as far as time counts more than memory")
  void earnedRoom(long earnedMib, int moved) {
    PageHeap heap = newHeap(512 * MIB, earnedMib * MIB);
    StreamCache owner = newStream();
    Block hole = requireNonNull(heap.grow(owner, 20 * MIB).block());
    assertNotNull(heap.grow(owner, 2 * MIB).block());
    freeSettled(heap, hole);

    assertNotNull(heap.grow(owner, 40 * MIB).block());
    assertEquals(moved, heap.books.pagesMoved.sum());
    assertEquals((62 - 2L * moved) * MIB, heap.books.reserved());
  }

  @Test
  @DisplayName("keeps no page of a growth that the driver refuses halfway")
  void refusedHalfway() {
    PageHeap heap = newHeap(512 * MIB);
    StreamCache owner = newStream();
    backend.getFaults().failNth("cuMemCreate", 3, Fault.OUT_OF_MEMORY);

    Heap.Growth refused = heap.grow(owner, 8 * MIB);
    assertNull(refused.block());
    assertNotNull(refused.refusal());
    assertEquals(0, heap.books.reserved());
    assertEquals(0, heap.reservedBytes());
    assertNotNull(heap.grow(owner, 8 * MIB).block());
  }

  @Test
  @DisplayName("18.2 asks streams only where one has a better fit by itself, or memory is taken")
  void asksWhatPromisesMost() {
    MoveTime time = new MoveTime(0.005, backend::getTimeNanos);
    PageHeap heap = newHeap(512 * MIB, 0, time);
    StreamCache owner = newStream();
    StreamCache other = newStream();
    List<StreamCache> all = List.of(owner, other);
    Block poor = requireNonNull(heap.grow(owner, 40 * MIB).block());
    Block fit = requireNonNull(heap.grow(other, 12 * MIB).block());
    assertNotNull(heap.grow(other, 2 * MIB).block());
    free(heap, poor);
    other.stream.fill(fit.address, (byte) 1, fit.size);
    fit.epoch = other.progress.epoch();
    heap.free(fit);

    assertEquals(List.of(), heap.askedFirst(owner, 20 * MIB, all), "it does not fit");
    assertEquals(all, List.copyOf(heap.askedFirst(owner, 12 * MIB, all)), "it fits");
    assertEquals(all, List.copyOf(heap.askedFirst(owner, 50 * MIB, all)), "else memory is taken");
    time.asked(time.now() - 2 * MoveTime.MOST_ASKING_NANOS);
    assertEquals(List.of(), heap.askedFirst(owner, 12 * MIB, all), "no time is left");
  }

  /** Between two threads: one is refused more memory while another one looks what it can steal. */
  @Test
  @DisplayName("lets a stream steal what has pages, and never what only has addresses")
  void stealsPagesOnly() {
    PageHeap heap = newHeap(8 * MIB);
    StreamCache owner = newStream();
    StreamCache thief = newStream();
    assertNotNull(heap.grow(owner, 4 * MIB).block());
    Block last = requireNonNull(heap.grow(owner, 4 * MIB).block());
    free(heap, last);
    assertNull(heap.grow(owner, 6 * MIB).block(), "more than the limit");

    assertNull(heap.steal(thief, 5 * MIB, List.of(owner), events), "a page is missing");
    Block stolen = requireNonNull(heap.steal(thief, 4 * MIB, List.of(owner), events));
    assertEquals(4 * MIB, stolen.size);
  }

  @Test
  @DisplayName("lets a stream steal a larger range where the best fit lacks pages")
  void passesRangesWithoutPages() {
    PageHeap heap = newHeap(56 * MIB);
    StreamCache owner = newStream();
    Block low = requireNonNull(heap.grow(owner, 4 * MIB).block());
    Block hole = requireNonNull(heap.grow(owner, 20 * MIB).block());
    assertNotNull(heap.grow(owner, 4 * MIB).block());
    freeSettled(heap, hole);
    heap.release(0);
    Block large = requireNonNull(heap.grow(owner, 40 * MIB).block());
    free(heap, low);
    assertNull(heap.grow(owner, 22 * MIB).block(), "more than the limit");
    free(heap, large);

    StreamCache thief = newStream();
    Block stolen = requireNonNull(heap.steal(thief, 21 * MIB, List.of(owner), events));
    assertEquals(large.address, stolen.address);
  }

  /** Between two threads: one closes the stream while another one is about to make its own wait. */
  @Test
  @DisplayName("waits for the device, and for no event, where a stream was closed meanwhile")
  void stealsFromClosedStream() {
    PageHeap heap = newHeap(8 * MIB);
    StreamCache owner = newStream();
    free(heap, requireNonNull(heap.grow(owner, 4 * MIB).block()));
    owner.stream.close();

    StreamCache thief = newStream();
    assertNotNull(heap.steal(thief, 4 * MIB, List.of(owner), events));
    assertEquals(1, backend.getDriverCalls().getCount("cuCtxSynchronize"));
    assertEquals(0, backend.getDriverCalls().getCount("cuStreamWaitEvent"));
    assertEquals(List.of(), backend.getWarnings());
  }

  @Test
  @DisplayName("prefers a larger range that has its pages to one that fits exactly and lacks them")
  void pagesBeforeExactFit() {
    try (Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON)) {
      Allocation exact = box.allocate(20 * MIB);
      box.allocate(2 * MIB);
      Allocation larger = box.allocate(22 * MIB);
      box.allocate(2 * MIB);
      exact.close();
      box.allocator.trim(0);
      larger.close();
      box.allocator.trim(Long.MAX_VALUE);
      box.backend.getDriverCalls().reset();
      box.allocate(20 * MIB);
      assertEquals(0, box.backend.getDriverCalls().getTotal());
    }
  }

  /** On a stream that has passed it. */
  private static void freeSettled(PageHeap heap, Block block) {
    block.epoch = block.owner().progress.settled();
    heap.free(block);
  }

  /** On a stream that has not passed it. */
  private static void free(PageHeap heap, Block block) {
    block.epoch = block.owner().progress.epoch();
    heap.free(block);
  }
}
