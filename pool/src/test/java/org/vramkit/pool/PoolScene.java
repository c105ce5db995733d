package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/**
 * A simulated device, an allocator of one kind and two streams. Closing it closes what was given to
 * {@link #closing} first, and demands no hazard and no leak.
 */
public final class PoolScene implements AutoCloseable {
  /** How long {@link #work} keeps a stream busy. */
  public static final long WORK_NANOS = 10_000_000;

  public final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  public final SimDevice device = backend.getDevice(0);
  public final SimStream s1 = device.createStream();
  public final SimStream s2 = device.createStream();
  public final Allocator allocator;

  /** The same allocator, whose frees and recorded uses fail when told to. */
  public final RefusingAllocator refusing;

  private final Deque<AutoCloseable> closing = new ArrayDeque<>();

  public PoolScene(AllocatorKind kind) {
    allocator = kind.create(device);
    refusing = new RefusingAllocator(allocator);
  }

  /** Closes it before the allocator, the newest first. */
  public <T extends AutoCloseable> T closing(T resource) {
    closing.push(resource);
    return resource;
  }

  /** A kernel that writes a range and takes its time. */
  public void work(SimStream stream, long address, long bytes) {
    stream.launch(SimKernel.named("work").writes(address, bytes).taking(WORK_NANOS).build());
  }

  /** Driver calls since the last question, kernels left out. */
  public long driverCalls() {
    long calls =
        backend.getDriverCalls().getTotal() - backend.getDriverCalls().getCount("cuLaunchKernel");
    backend.getDriverCalls().reset();
    return calls;
  }

  @Override
  public void close() {
    while (!closing.isEmpty()) {
      closeFirst(closing.pop());
    }
    device.synchronize();
    assertEquals(0, allocator.getStatistics().allocations().current(), "allocations still live");
    allocator.close();
    s1.close();
    s2.close();
    assertEquals(List.of(), backend.getHazards(), "hazards");
    assertEquals(List.of(), backend.getLeaks(), "leaks");
  }

  static void closeFirst(AutoCloseable resource) {
    try {
      resource.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("cannot close " + resource, e);
    }
  }
}
