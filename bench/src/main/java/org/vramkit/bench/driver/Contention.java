package org.vramkit.bench.driver;

import static org.vramkit.api.units.ByteSize.MIB;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.bench.driver.CostTable.Subject;
import org.vramkit.sim.driver.DriverFunction;

/** Times of calls beside a thread that allocates memory. */
final class Contention {
  private static final int CALLS = 4_000;
  private static final long BYTES = 20 * MIB;

  private final Device device;
  private final CostTable table;
  private final long work;

  Contention(Device device, CostTable table, long work) {
    this.device = device;
    this.table = table;
    this.work = work;
  }

  void run() {
    Map<String, Runnable> others = new LinkedHashMap<>();
    others.put("nothing", Thread::onSpinWait);
    others.put(
        "plain allocations", () -> device.getMemory().free(device.getMemory().allocate(BYTES)));
    if (device.supports(Capability.VIRTUAL_MEMORY)) {
      others.put("mappings", this::map);
    }
    others.forEach(this::beside);
  }

  private void map() {
    VirtualMemory memory = device.getVirtualMemory();
    long range = memory.reserve(BYTES);
    long handle = memory.create(BYTES);
    memory.map(range, BYTES, handle);
    memory.setAccess(range, BYTES, device);
    memory.unmap(range, BYTES);
    memory.release(handle);
    memory.unreserve(range, BYTES);
  }

  private void beside(String name, Runnable other) {
    AtomicBoolean done = new AtomicBoolean();
    Thread thread =
        new Thread(
            () -> {
              while (!done.get()) {
                other.run();
              }
            });
    thread.setDaemon(true);
    thread.start();
    try (Stream stream = device.createStream();
        Event event = device.createEvent()) {
      calls("beside " + name, stream, event);
    } finally {
      done.set(true);
      join(thread);
    }
  }

  private void calls(String name, Stream stream, Event event) {
    for (int i = 0; i < CALLS; i++) {
      time(DriverFunction.MEMSET_D8_ASYNC, name, () -> stream.fill(work, (byte) 1, 4096));
      time(DriverFunction.EVENT_RECORD, name, () -> event.record(stream));
      time(DriverFunction.EVENT_QUERY, name, event::isComplete);
      if (i % 50 == 0) {
        stream.synchronize();
      }
    }
    if (device.supports(Capability.DRIVER_POOLS)) {
      try (DriverPool pool = device.getDriverPools().create(0)) {
        pool.setReleaseThreshold(Long.MAX_VALUE);
        for (int i = 0; i < CALLS; i++) {
          long[] block = new long[1];
          time(
              DriverFunction.MEM_ALLOC_FROM_POOL_ASYNC,
              "1 MiB, hit, " + name,
              () -> block[0] = pool.allocate(MIB, stream));
          time(DriverFunction.MEM_FREE_ASYNC, "1 MiB, " + name, () -> pool.free(block[0], stream));
        }
        stream.synchronize();
      }
    }
  }

  private void time(DriverFunction function, String name, Runnable call) {
    table.time(new Subject(function, name, false), call);
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
