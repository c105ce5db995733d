package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.MIB;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.sim.driver.Fault;

@DisplayName("45.3 Three tasks of four steps on a device for one and a half of them")
@Tag("own-schedules")
class RetrySchedulesTest {
  private final ExecutorService threads = Executors.newFixedThreadPool(TaskSchedule.TASKS);

  @AfterEach
  void end() {
    threads.shutdown();
  }

  @Test
  @DisplayName("45.3 end with the right result on every schedule, and without a lost byte")
  void everySchedule() {
    RetryStatistics[] last = new RetryStatistics[1];
    List<List<Integer>> schedules = allSchedules(last);
    assertTrue(schedules.size() > 1_000, schedules.size() + " schedules");
    assertTrue(last[0].rollbacks() > 0, "the latest one has a deadlock: " + last[0]);
  }

  @Test
  @DisplayName("45.3 do so on the simulator, whichever driver call fails in turn")
  void everyFault() {
    List<List<Integer>> all = allSchedules(new RetryStatistics[1]);
    for (int i = 0; i < all.size(); i += all.size() / 2) {
      failEachCall(all.get(i));
    }
  }

  @Test
  @Tag("soak")
  @DisplayName("45.3 do so on every schedule with every fault")
  void everyFaultOnEverySchedule() {
    allSchedules(new RetryStatistics[1]).forEach(this::failEachCall);
  }

  private List<List<Integer>> allSchedules(RetryStatistics[] last) {
    CountedMemory memory = new CountedMemory(60);
    List<List<Integer>> schedules = new ArrayList<>();
    List<Integer> prefix = List.of();
    while (prefix != null) {
      TaskSchedule schedule =
          new TaskSchedule(
              memory,
              memory.getStream(),
              10,
              (first, second, input) -> input.stream().mapToLong(Integer::longValue).sum(),
              prefix);
      RetryStatistics now = schedule.run(threads);
      last[0] = last[0] == null || now.rollbacks() > 0 ? now : last[0];
      assertEquals(0, memory.getLive(), "lost on " + schedule.chosen);
      schedules.add(schedule.chosen);
      prefix = TaskSchedule.next(schedule);
    }
    return schedules;
  }

  /** Runs a schedule once for each driver call of the tasks, and fails that call. */
  private void failEachCall(List<Integer> choices) {
    long calls = 1;
    for (long number = 0; number < calls; number++) {
      calls = onSimulator(choices, number);
    }
    assertTrue(calls > 20, calls + " calls");
  }

  /** Runs one schedule; returns the number of driver calls of the tasks. */
  private long onSimulator(List<Integer> choices, long failing) {
    try (Scene scene = new Scene(64)) {
      long before = scene.gpu.getDriverCalls().getTotal();
      scene.gpu.getFaults().failCall(before + 1 + failing, Fault.OUT_OF_MEMORY);
      TaskSchedule schedule =
          new TaskSchedule(
              scene.allocator,
              scene.device.getDefaultStream(),
              10 * MIB,
              RetrySchedulesTest::onDevice,
              choices);
      schedule.run(threads);
      long calls = scene.gpu.getDriverCalls().getTotal() - before;
      scene.gpu.getFaults().clear();
      scene.device.synchronize();
      return calls;
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("schedule " + choices + ", call " + failing + " fails", e);
    }
  }

  /** Copies the input to the first block, that block to the second, and reads the second. */
  private static long onDevice(Allocation first, Allocation second, List<Integer> input) {
    ByteBuffer numbers = ByteBuffer.allocate(input.size());
    input.forEach(number -> numbers.put(number.byteValue()));
    first.getStream().copyToDevice(first.getAddress(), numbers.flip());
    first.getStream().copy(second.getAddress(), first.getAddress(), input.size());
    ByteBuffer back = ByteBuffer.allocate(input.size());
    first.getStream().copyToHost(back, second.getAddress());
    long sum = 0;
    while (back.hasRemaining()) {
      sum += back.get();
    }
    return sum;
  }
}
