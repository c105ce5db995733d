package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Event;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.heap.PageTableChecks;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;

/** A random program of one seed, and the model that it is held against: who holds which bytes. */
final class RandomProgram {
  private static final String[] CALLS = {
    "cuMemCreate",
    "cuMemMap",
    "cuMemSetAccess",
    "cuMemUnmap",
    "cuMemRelease",
    "cuMemAlloc",
    "cuMemFree",
    "cuEventRecord",
    "cuEventQuery",
    "cuStreamQuery",
    "cuEventCreate"
  };
  private static final long LEAST_MEMORY = 96 * ByteSize.MIB;
  private static final int MOST_POOLS = 3;

  private record Held(Allocation allocation, SimStream stream, byte value) {}

  private final SplittableRandom random;
  private final SimBackend backend;
  private final SimDevice device;
  private final CachingAllocator allocator;
  private final List<SimStream> streams = new ArrayList<>();
  private final List<PrivatePool> pools = new ArrayList<>();
  private final List<Held> held = new ArrayList<>();
  private final TreeMap<Long, Long> ranges = new TreeMap<>();
  private final long usedBefore;

  /** Whether blocks are large enough for extents of several pages. */
  private final boolean large;

  private final long memory;

  /** Nanoseconds. With 0 streams are done soon; else they are not, and blocks have many pages. */
  private final long longestKernel;

  private long requested;
  private int step;

  RandomProgram(long seed, VirtualMemoryUse use) {
    random = new SplittableRandom(seed);
    large = use == VirtualMemoryUse.ON && random.nextInt(4) == 0;
    memory = large ? 4 * LEAST_MEMORY : LEAST_MEMORY;
    backend =
        SimBackend.builder()
            .seed(seed)
            .device(
                DeviceProfile.builder("small")
                    .from(DeviceProfile.SMALL_8GIB)
                    .memory(memory)
                    .build())
            .build();
    device = backend.getDevice(0);
    usedBefore = device.getMemoryInfo().getUsedBytes();
    CachingAllocatorBuilder builder =
        CachingAllocator.builder(device)
            .virtualMemory(use)
            .threadCache(random.nextBoolean() ? 0 : ByteSize.MIB)
            .streamCache(random.nextBoolean() ? 0 : 4 * ByteSize.MIB)
            .steal(List.of(StealPolicy.values()).get(random.nextInt(3)))
            .growthPatience(random.nextBoolean() ? 0 : 16)
            .clock(backend::getTimeNanos);
    double moveTime = new double[] {0, 0.005, 1}[random.nextInt(3)];
    double extentShare = random.nextInt(3) == 0 ? 0 : 1;
    if (use == VirtualMemoryUse.ON) {
      builder.extentShare(extentShare);
    }
    builder
        .moveTime(moveTime)
        .decay(random.nextBoolean() ? Duration.ofNanos(200_000) : Duration.ZERO);
    allocator = builder.build();
    // Large blocks fill so little memory with partly used segments.
    boolean busy = use == VirtualMemoryUse.ON && random.nextBoolean();
    longestKernel = busy ? 200_000_000 : 0;
    for (int i = 0; i < 3; i++) {
      streams.add(device.createStream());
    }
  }

  int getStep() {
    return step;
  }

  long getFaults() {
    return backend.getFaults().getInjected();
  }

  List<HazardReport> getHazards() {
    return backend.getHazards();
  }

  List<Leak> getLeaks() {
    return backend.getLeaks();
  }

  void step() {
    step++;
    boolean faulty = random.nextInt(12) == 0;
    if (faulty) {
      backend
          .getFaults()
          .failNth(
              CALLS[random.nextInt(CALLS.length)],
              1 + random.nextInt(3),
              random.nextBoolean() ? Fault.OUT_OF_MEMORY : Fault.UNKNOWN);
    }
    int choice = random.nextInt(100);
    if (choice < 45) {
      allocate(faulty);
    } else if (choice < 80) {
      free();
    } else if (choice < 90) {
      useElsewhere();
    } else if (choice < 95) {
      backend.advance(random.nextLong(200_000));
    } else if (choice < 97) {
      trim(faulty);
    } else if (choice < 99) {
      changePools(faulty);
    } else {
      allocator.resetPeaks();
    }
    backend.getFaults().clear();
    check();
  }

  private void allocate(boolean faulty) {
    SimStream stream = streams.get(random.nextInt(streams.size()));
    int bits = longestKernel > 0 ? 18 + random.nextInt(6) : random.nextInt(24);
    if (large) {
      bits += 2;
    }
    long bytes = Math.min(1 + random.nextLong(1L << bits), memory / 8);
    Allocation allocation;
    try {
      allocation = allocate(bytes, stream);
    } catch (GpuException e) {
      // Without a fault it may fail only for lack of memory, and not while plenty is free.
      backend.getFaults().clear();
      assertTrue(
          faulty || requested + keptByPools() + bytes > memory / 4,
          "refused " + bytes + " with " + requested + " in use: " + e.getMessage());
      return;
    }
    backend.getFaults().clear();
    long address = allocation.getAddress();
    assertEquals(0, address % 512, "alignment");
    Map.Entry<Long, Long> below = ranges.lowerEntry(address + bytes);
    assertTrue(
        below == null || below.getKey() + below.getValue() <= address, "overlap at " + address);
    ranges.put(address, bytes);
    requested += bytes;
    byte value = (byte) random.nextInt();
    stream.fill(address, value, bytes);
    if (longestKernel > 0) {
      stream.launch(
          SimKernel.named("work")
              .reads(address, bytes)
              .taking(random.nextLong(longestKernel))
              .build());
    }
    held.add(new Held(allocation, stream, value));
  }

  /** From the default pool, or from a private one through a scope or through itself. */
  private Allocation allocate(long bytes, SimStream stream) {
    PrivatePool pool =
        pools.isEmpty() || random.nextBoolean() ? null : pools.get(random.nextInt(pools.size()));
    if (pool == null) {
      return allocator.allocate(bytes, stream);
    }
    if (random.nextBoolean()) {
      return pool.getAllocator().allocate(bytes, stream);
    }
    try (PoolScope scope = pool.use()) {
      assertFalse(scope.isClosed());
      return allocator.allocate(bytes, stream);
    }
  }

  /** What private pools have that others cannot use, those included that ended with live blocks. */
  private long keptByPools() {
    return allocator.getSnapshot().segments().stream()
        .filter(segment -> segment.pool() > 0)
        .mapToLong(AllocatorSnapshot.SegmentView::size)
        .sum();
  }

  /** Makes a pool of any kind, or closes one, perhaps with live blocks. */
  private void changePools(boolean faulty) {
    try {
      if (pools.size() < MOST_POOLS && random.nextBoolean()) {
        PrivatePoolOptions options =
            PrivatePoolOptions.DEFAULT
                .withLending(random.nextBoolean())
                .withLimit(random.nextBoolean() ? memory / 4 : Long.MAX_VALUE);
        pools.add(
            allocator.createPool(
                random.nextBoolean() ? options : options.withSource(new CountingSource(device))));
      } else if (!pools.isEmpty()) {
        pools.remove(random.nextInt(pools.size())).close();
      }
    } catch (GpuException e) {
      assertTrue(faulty, "a pool failed without a fault: " + e);
    }
  }

  private void free() {
    if (held.isEmpty()) {
      return;
    }
    Held block = held.remove(random.nextInt(held.size()));
    checkContents(block);
    ranges.remove(block.allocation.getAddress());
    requested -= block.allocation.getSize();
    block.allocation.close();
  }

  private void checkContents(Held block) {
    long size = block.allocation.getSize();
    int sample = (int) Math.min(size, 64);
    ByteBuffer bytes = ByteBuffer.allocate(2 * sample);
    block.stream.copyToHost(bytes.slice(0, sample), block.allocation.getAddress());
    block.stream.copyToHost(
        bytes.slice(sample, sample), block.allocation.getAddress() + size - sample);
    for (int i = 0; i < bytes.capacity(); i++) {
      assertEquals(block.value, bytes.get(i), "contents of " + block.allocation);
    }
  }

  /** Another stream reads a block for a while, in order, and the block may be freed meanwhile. */
  private void useElsewhere() {
    backend.getFaults().clear();
    if (held.isEmpty()) {
      return;
    }
    Held block = held.get(random.nextInt(held.size()));
    SimStream other = streams.get(random.nextInt(streams.size()));
    try (Event event = device.createEvent()) {
      event.record(block.stream);
      other.waitFor(event);
    }
    other.launch(
        SimKernel.named("reader")
            .reads(block.allocation.getAddress(), block.allocation.getSize())
            .taking(random.nextLong(100_000))
            .build());
    block.allocation.recordUse(other);
  }

  private void trim(boolean faulty) {
    try {
      allocator.trim(random.nextLong(memory));
    } catch (GpuException e) {
      assertTrue(faulty, "trim failed without a fault: " + e);
    }
  }

  private void check() {
    AllocatorStatistics now = allocator.getStatistics();
    PageTableChecks.assertAgrees(allocator);
    SnapshotChecks.assertSums(now, requested, held.size());
    assertEquals(
        device.getMemoryInfo().getUsedBytes() - usedBefore,
        now.reserved().current(),
        "reserved as the driver sees it");
    assertTrue(now.allocated().peak() >= now.allocated().current(), "peak");
  }

  void finish() {
    while (!held.isEmpty()) {
      free();
    }
    allocator.close();
    streams.forEach(SimStream::close);
    assertEquals(usedBefore, device.getMemoryInfo().getUsedBytes(), "given back");
  }
}
