package org.vramkit.pool.caching.suspend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("What a suspension does for itself, as the checker sees it")
class SuspendOrderTest {
  private static final long BYTES = 4096;

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  /** A program over a pool that is suspended, with three streams of its own. */
  @FunctionalInterface
  private interface Program {
    void run(SimDevice device, PrivatePool pool, List<SimStream> streams);
  }

  private static void expect(Schedule schedule, Program program, HazardCode... codes) {
    try (SimBackend gpu =
        SimBackend.builder().device(DeviceProfile.SMALL_8GIB).schedule(schedule).build()) {
      SimDevice device = gpu.getDevice(0);
      List<SimStream> streams =
          List.of(device.createStream(), device.createStream(), device.createStream());
      try (CachingAllocator allocator = CachingAllocator.create(device);
          PrivatePool pool = allocator.createPool()) {
        program.run(device, pool, streams);
      }
      streams.forEach(SimStream::close);
      assertEquals(List.of(codes), gpu.getHazards().stream().map(HazardReport::code).toList());
      assertEquals(List.of(), gpu.getLeaks());
    }
  }

  private static void order(SimDevice device, SimStream before, SimStream after) {
    try (SimEvent event = device.createEvent()) {
      event.record(before);
      after.waitFor(event);
    }
  }

  private static void write(SimStream stream, long address, long bytes) {
    stream.launch(SimKernel.named("write").writes(address, bytes).build());
  }

  private static void read(SimStream stream, long address, long bytes) {
    stream.launch(SimKernel.named("read").reads(address, bytes).build());
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("gives no report on bytes of an earlier block behind the requested ones")
  void beyondTheRequest(Schedule schedule) {
    expect(
        schedule,
        (device, pool, streams) -> {
          SimStream a = streams.get(0);
          SimStream b = streams.get(1);
          SimStream d = streams.get(2);
          Allocation first = pool.getAllocator().allocate(2374, a);
          order(device, a, b);
          write(b, first.getAddress(), 2374);
          first.recordUse(b);
          first.close();
          device.synchronize();
          Allocation second = pool.getAllocator().allocate(1241, d);
          write(d, second.getAddress(), 1241);
          pool.suspend(Backup.HOST, a);
          pool.resume(b);
          read(d, second.getAddress(), 1241);
          second.close();
        });
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("hides no race of the program behind its waits")
  void raceBehindIt(Schedule schedule) {
    expect(
        schedule,
        (device, pool, streams) -> {
          long other = device.getMemory().allocate(BYTES);
          SimStream a = streams.get(0);
          Allocation block = pool.getAllocator().allocate(BYTES, a);
          write(a, block.getAddress(), BYTES);
          write(a, other, BYTES);
          pool.suspend(Backup.HOST, streams.get(1));
          pool.resume(streams.get(1));
          read(streams.get(2), other, BYTES);
          block.close();
          device.synchronize();
          device.getMemory().free(other);
        },
        HazardCode.RACE_RAW);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("brings unwritten bytes back as unwritten ones")
  void unwritten(Schedule schedule) {
    expect(
        schedule,
        (device, pool, streams) -> {
          SimStream a = streams.get(0);
          Allocation block = pool.getAllocator().allocate(BYTES, a);
          write(a, block.getAddress(), BYTES / 2);
          pool.suspend(Backup.HOST, a);
          pool.resume(a);
          read(a, block.getAddress(), BYTES);
          block.close();
        },
        HazardCode.UNINIT_READ);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("45.4 if it fails, leaves memory that work still uses to the stream of that work")
  void failure(Schedule schedule) {
    expect(
        schedule,
        (device, pool, streams) -> {
          SimStream a = streams.get(0);
          SimStream busy = streams.get(1);
          Allocation used = pool.getAllocator().allocate(BYTES, busy);
          write(busy, used.getAddress(), BYTES);
          // Closed within the suspension, while that waits for work before it chooses memory.
          Allocation awaited = pool.getAllocator().allocate(BYTES, a);
          write(a, awaited.getAddress(), BYTES);
          Allocation kept = pool.getAllocator().allocate(BYTES, a);
          write(a, kept.getAddress(), BYTES);
          a.callHost("close", used::close);
          awaited.close();
          device.getBackend().getFaults().failNext("cuMemAllocHost", Fault.OUT_OF_MEMORY);
          assertThrows(
              DeviceOutOfMemoryException.class, () -> pool.suspend(Backup.HOST, streams.get(2)));
          Allocation next = pool.getAllocator().allocate(BYTES, streams.get(2));
          write(streams.get(2), next.getAddress(), BYTES);
          next.close();
          kept.close();
        });
  }
}
