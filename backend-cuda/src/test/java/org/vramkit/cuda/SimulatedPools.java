package org.vramkit.cuda;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.PoolCalls;

/** Driver pools, and memory in stream order. */
final class SimulatedPools extends SimulatedCalls implements PoolCalls {
  /** The pool of each allocation, because the free does not name it. */
  private final Map<Long, DriverPool> origins = new ConcurrentHashMap<>();

  private final AtomicLong numbers = new AtomicLong(0x9000);

  SimulatedPools(SimulatedProcess process) {
    super(process);
  }

  record PoolHandle(DriverPool pool, long number) implements Handle {
    @Override
    public long getAddress() {
      return number;
    }
  }

  @Override
  public int cuMemAllocAsync(long[] address, long bytes, Handle stream) {
    return code(
        () -> {
          Stream on = stream(stream);
          address[0] = on.getDevice().getStreamOrderedMemory().allocate(bytes, on);
        });
  }

  @Override
  public int cuMemFreeAsync(long address, Handle stream) {
    return code(
        () -> {
          Stream on = stream(stream);
          StreamOrderedMemory origin = origins.remove(address);
          (origin != null ? origin : on.getDevice().getStreamOrderedMemory()).free(address, on);
        });
  }

  @Override
  public int cuMemPoolCreate(Handle[] pool, int ordinal, long maximumBytes) {
    return code(
        () ->
            pool[0] =
                new PoolHandle(
                    sim.getDevice(ordinal).getDriverPools().create(maximumBytes),
                    numbers.incrementAndGet()));
  }

  @Override
  public int cuMemPoolDestroy(Handle pool) {
    return code(((PoolHandle) pool).pool()::close);
  }

  @Override
  public int cuMemAllocFromPoolAsync(long[] address, long bytes, Handle pool, Handle stream) {
    DriverPool from = ((PoolHandle) pool).pool();
    return code(
        () -> {
          address[0] = from.allocate(bytes, stream(stream));
          origins.put(address[0], from);
        });
  }

  @Override
  public int cuMemPoolTrimTo(Handle pool, long keepBytes) {
    return code(() -> ((PoolHandle) pool).pool().trim(keepBytes));
  }
}
