package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/**
 * One small simulated device, an allocator on it and a stream. Both live in virtual time, so that a
 * slow machine is no busy phase. Memory counts more than time, unless a test says otherwise: so
 * what happens does not depend on what driver calls take. Closing it closes what a test left open
 * and demands that nothing is live, nothing leaked and no hazard was met.
 */
public final class Sandbox implements AutoCloseable {
  public static final long MIB = ByteSize.MIB;

  public final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  public final SimDevice device = backend.getDevice(0);
  public final CachingAllocator allocator;
  public final SimStream stream;
  private final List<SimStream> streams = new ArrayList<>();
  private final List<Allocation> open = new ArrayList<>();
  private final Set<Allocation> written = Collections.newSetFromMap(new IdentityHashMap<>());

  private Sandbox(UnaryOperator<CachingAllocatorBuilder> settings) {
    allocator =
        settings
            .apply(CachingAllocator.builder(device).moveTime(1).clock(backend::getTimeNanos))
            .build();
    stream = newStream();
  }

  /** With the default settings. */
  public static Sandbox standard() {
    return new Sandbox(builder -> builder);
  }

  /** On one kind of memory. */
  public static Sandbox on(VirtualMemoryUse use) {
    return on(use, builder -> builder);
  }

  public static Sandbox on(VirtualMemoryUse use, UnaryOperator<CachingAllocatorBuilder> settings) {
    return new Sandbox(builder -> settings.apply(builder.virtualMemory(use)));
  }

  /** On one kind of memory, with no caches before the heap: what is freed lies there at once. */
  public static Sandbox uncached(VirtualMemoryUse use) {
    return uncached(use, builder -> builder);
  }

  public static Sandbox uncached(
      VirtualMemoryUse use, UnaryOperator<CachingAllocatorBuilder> settings) {
    return on(use, builder -> settings.apply(builder.threadCache(0)));
  }

  /** Segments of fixed sizes and no caches before the heap, as PyTorch's behaviours assume. */
  public static Sandbox segments(UnaryOperator<CachingAllocatorBuilder> settings) {
    return uncached(VirtualMemoryUse.OFF, settings);
  }

  public static Sandbox segments() {
    return segments(builder -> builder);
  }

  public static Sandbox with(UnaryOperator<CachingAllocatorBuilder> settings) {
    return new Sandbox(settings);
  }

  public SimStream newStream() {
    SimStream created = device.createStream();
    streams.add(created);
    return created;
  }

  public Allocation allocate(long bytes) {
    return allocate(bytes, stream);
  }

  public Allocation allocate(long bytes, SimStream on) {
    Allocation allocation = allocator.allocate(bytes, on);
    open.add(allocation);
    return allocation;
  }

  /** Keeps a stream busy with a block; another stream than its own first waits for that one. */
  public void busy(SimStream on, Allocation allocation, long nanos) {
    writeOnce(allocation);
    if (!on.equals(allocation.getStream())) {
      try (SimEvent handedOver = device.createEvent()) {
        handedOver.record(allocation.getStream());
        on.waitFor(handedOver);
      }
    }
    on.launch(
        SimKernel.named("busy")
            .reads(allocation.getAddress(), allocation.getSize())
            .taking(nanos)
            .build());
  }

  /** So that what is read was written. */
  private void writeOnce(Allocation allocation) {
    if (written.add(allocation)) {
      ((SimStream) allocation.getStream())
          .launch(
              SimKernel.named("write")
                  .writes(allocation.getAddress(), allocation.getSize())
                  .taking(0)
                  .build());
    }
  }

  public AllocatorStatistics statistics() {
    return allocator.getStatistics();
  }

  @Override
  public void close() {
    open.forEach(Allocation::close);
    allocator.close();
    streams.forEach(SimStream::close);
    assertEquals(List.of(), backend.getHazards(), "hazards");
    assertEquals(List.of(), backend.getLeaks(), "leaks");
  }
}
