package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultInjector;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.driver.FaultRule;
import org.vramkit.sim.driver.Selection;
import org.vramkit.sim.driver.WorkSelector;

@DisplayName("A fault plan")
class FaultPlanTest {
  private static final CallSelector QUERY = CallSelector.of("cuStreamQuery");

  private static SimBackend backend(FaultPlan plan) {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .costModel(CostModel.FREE)
        .seed(11)
        .faults(plan)
        .build();
  }

  /** Which of some questions to a stream fail, as a row of letters. */
  private static String asked(SimBackend backend, int times) {
    StringBuilder outcome = new StringBuilder();
    SimStream stream = backend.getDevice(0).getDefaultStream();
    for (int i = 0; i < times; i++) {
      try {
        outcome.append(stream.isIdle() ? '.' : '-');
      } catch (GpuException e) {
        outcome.append('x');
      }
    }
    return outcome.toString();
  }

  private static String asked(FaultPlan plan, int times) {
    try (SimBackend backend = backend(plan)) {
      return asked(backend, times);
    }
  }

  @Test
  @DisplayName(
      "is a value: plans of the same rules are equal, and adding a rule makes another plan")
  void isValue() {
    FaultPlan plan = FaultPlan.NONE.fail(QUERY.withNth(3), Fault.UNKNOWN);
    assertEquals(FaultPlan.NONE.fail(QUERY.withNth(3), Fault.UNKNOWN), plan);
    assertNotEquals(plan.hang(WorkSelector.any()), plan);
    assertEquals(1, plan.rules().size());
    assertEquals(FaultPlan.NONE, new FaultPlan(FaultPlan.NONE.rules()));
  }

  @Test
  @DisplayName("is the list of its rules, in their order")
  void rules() {
    WorkSelector work = WorkSelector.ofDevice(1);
    assertEquals(
        List.of(
            new FaultRule.Fail(QUERY, Fault.UNKNOWN),
            new FaultRule.Slow(work, 3, 0),
            new FaultRule.Hang(work),
            new FaultRule.Occupy(0, ByteSize.GIB, 100, 200)),
        FaultPlan.NONE
            .fail(QUERY, Fault.UNKNOWN)
            .slow(work, 3)
            .hang(work)
            .occupy(0, ByteSize.GIB, 100, 200)
            .rules());
  }

  @Test
  @DisplayName("says what it will do, one rule a line")
  void says() {
    String text =
        FaultPlan.NONE
            .fail(QUERY.withEvery(2).withProbability(0.5).until(9), Fault.FATAL)
            .slow(WorkSelector.ofDevice(1), 3)
            .hang(WorkSelector.any().fromNth(4))
            .occupy(0, ByteSize.GIB, 100, 200)
            .toString();
    assertEquals(
        String.join(
            System.lineSeparator(),
            "cuStreamQuery, one in 2, with probability 0.5, until 9 ns:"
                + " CUDA_ERROR_ILLEGAL_ADDRESS, which is fatal",
            "work of device 1: takes 3.0 times as long",
            "any work, from piece 4 on: never ends",
            "another process: holds 1.00 GiB of device 0, from 100 ns, until 200 ns"),
        text);
    assertEquals("no faults", FaultPlan.NONE.toString());
  }

  @Test
  @DisplayName("hits calls by count, by number, by turn, and by chance")
  void hitsCalls() {
    assertEquals("..x...", asked(FaultPlan.NONE.fail(QUERY.withNth(3), Fault.UNKNOWN), 6));
    assertEquals(
        "...x..", asked(FaultPlan.NONE.fail(CallSelector.any().withNumber(4), Fault.UNKNOWN), 6));
    assertEquals(".x.x.x", asked(FaultPlan.NONE.fail(QUERY.withEvery(2), Fault.UNKNOWN), 6));
    assertEquals("xxxxxx", asked(FaultPlan.NONE.fail(CallSelector.any(), Fault.UNKNOWN), 6));
    FaultPlan random = FaultPlan.NONE.fail(QUERY.withProbability(0.5), Fault.UNKNOWN);
    assertEquals(asked(random, 64), asked(random, 64), "the same seed");
    assertTrue(asked(random, 64).contains("x") && asked(random, 64).contains("."));
  }

  @Test
  @DisplayName("keeps chance of one rule apart from other rules")
  void separateChance() {
    FaultPlan random = FaultPlan.NONE.fail(QUERY.withProbability(0.5), Fault.UNKNOWN);
    FaultPlan both = random.fail(CallSelector.of("cuMemAlloc").withProbability(0.5), Fault.UNKNOWN);
    try (SimBackend backend = backend(both)) {
      StringBuilder outcome = new StringBuilder();
      for (int i = 0; i < 64; i++) {
        outcome.append(asked(backend, 1));
        try {
          backend.getDevice(0).getMemory().free(backend.getDevice(0).getMemory().allocate(512));
        } catch (GpuException e) {
          // Its own business.
        }
      }
      assertEquals(asked(random, 64), outcome.toString());
    }
  }

  @Test
  @DisplayName("hits calls from one virtual time until another")
  void hitsByTime() {
    try (SimBackend backend =
        backend(FaultPlan.NONE.fail(QUERY.from(100).until(200), Fault.UNKNOWN))) {
      assertEquals("..", asked(backend, 2));
      backend.advanceTo(100);
      assertEquals("xx", asked(backend, 2));
      backend.advanceTo(200);
      assertEquals("..", asked(backend, 2));
    }
  }

  @Test
  @DisplayName("injected later counts from then on, and is shown until it is spent or forgotten")
  void injectedLater() {
    FaultPlan second = FaultPlan.NONE.fail(QUERY.withNth(2), Fault.UNKNOWN);
    FaultPlan always = FaultPlan.NONE.fail(QUERY.from(1_000_000), Fault.UNKNOWN);
    try (SimBackend backend = backend(always)) {
      assertEquals("...", asked(backend, 3));
      backend.getFaults().inject(second);
      assertEquals(always.with(second), backend.getFaults().getPlan());
      assertEquals(".x.", asked(backend, 3));
      assertEquals(always, backend.getFaults().getPlan());
      assertEquals(FaultPlan.NONE, backend.getFaults().clear().getPlan());
    }
  }

  @Test
  @DisplayName("takes memory for another process at a virtual time, and gives it back later")
  void occupies() {
    try (SimBackend backend = backend(FaultPlan.NONE.occupy(0, 6 * ByteSize.GIB, 100, 200))) {
      SimDevice device = backend.getDevice(0);
      final long all = device.getMemoryInfo().freeBytes();
      backend.advanceTo(100);
      assertEquals(all - 6 * ByteSize.GIB, device.getMemoryInfo().freeBytes());
      assertThrows(
          DeviceOutOfMemoryException.class, () -> device.getMemory().allocate(4 * ByteSize.GIB));
      backend.advanceTo(200);
      assertEquals(all, device.getMemoryInfo().freeBytes());
      device.getMemory().free(device.getMemory().allocate(4 * ByteSize.GIB));
    }
  }

  @Test
  @DisplayName("lets another process take at most the free memory, and return at most its own")
  void occupiesWhatIsFree() {
    try (SimBackend backend =
        backend(FaultPlan.NONE.occupy(0, 100 * ByteSize.GIB, 100, Long.MAX_VALUE))) {
      SimDevice device = backend.getDevice(0);
      long address = device.getMemory().allocate(ByteSize.GIB);
      final long free = device.getMemoryInfo().freeBytes();
      backend.advanceTo(100);
      assertEquals(0, device.getMemoryInfo().freeBytes());
      device.getMemory().free(address);
      assertEquals(ByteSize.GIB, device.getMemoryInfo().freeBytes());
      backend.getFaults().clear();
      assertEquals(free + ByteSize.GIB, device.getMemoryInfo().freeBytes());
    }
  }

  @Test
  @DisplayName("refuses what cannot happen")
  void refuses() {
    assertThrows(InvalidArgumentException.class, () -> CallSelector.of("cuNothing"));
    assertThrows(InvalidArgumentException.class, () -> QUERY.withNth(0));
    assertThrows(InvalidArgumentException.class, () -> QUERY.withProbability(1.5));
    assertThrows(InvalidArgumentException.class, () -> QUERY.from(5).until(5));
    assertThrows(
        InvalidArgumentException.class, () -> FaultPlan.NONE.slow(WorkSelector.any(), 0.5));
    FaultPlan elsewhere = FaultPlan.NONE.occupy(7, 1, 0, 1);
    assertThrows(InvalidArgumentException.class, () -> backend(elsewhere));
    assertFalse(elsewhere.rules().isEmpty());
  }

  @Test
  @DisplayName("is refused if it is about a device or stream that is not there")
  void nowhere() {
    for (FaultPlan plan :
        List.of(
            FaultPlan.NONE.slow(WorkSelector.ofDevice(1), 2),
            FaultPlan.NONE.hang(WorkSelector.ofDevice(9)),
            FaultPlan.NONE.occupy(1, 1, 0, 1),
            FaultPlan.NONE.hang(new WorkSelector(1, new Selection(0, 77, null, 0, 1, 0, 1))))) {
      String refusal = assertThrows(InvalidArgumentException.class, () -> backend(plan)).toString();
      assertTrue(refusal.contains("for the rule '" + plan.rules().get(0)), refusal);
    }
    try (SimBackend other = backend(FaultPlan.NONE);
        SimBackend backend = backend(FaultPlan.NONE)) {
      FaultInjector faults = backend.getFaults();
      SimStream foreign = other.getDevice(0).createStream();
      FaultPlan plan = FaultPlan.NONE.hang(WorkSelector.ofStream(foreign));
      assertThrows(InvalidArgumentException.class, () -> faults.inject(plan));
      SimStream own = backend.getDevice(0).createStream();
      faults.inject(FaultPlan.NONE.hang(WorkSelector.ofStream(own)));
      own.close();
      assertThrows(
          InvalidArgumentException.class,
          () -> faults.inject(FaultPlan.NONE.hang(WorkSelector.ofStream(own))));
      faults.inject(
          FaultPlan.NONE.hang(WorkSelector.ofStream(backend.getDevice(0).getDefaultStream())));
    }
  }

  @Test
  @DisplayName("lists the rules that never matched")
  void unused() {
    FaultPlan idle =
        FaultPlan.NONE
            .fail(CallSelector.of("cuMemAlloc").withNth(3), Fault.OUT_OF_MEMORY)
            .fail(CallSelector.of("cuMemCreate").withProbability(0.5), Fault.OUT_OF_MEMORY)
            .slow(WorkSelector.any(), 2)
            .hang(WorkSelector.any().fromNth(2))
            .occupy(0, ByteSize.MIB, 1_000_000_000, 2_000_000_000);
    FaultPlan busy =
        FaultPlan.NONE
            .fail(QUERY.withNth(2), Fault.UNKNOWN)
            .fail(QUERY.withProbability(0), Fault.UNKNOWN)
            .occupy(0, ByteSize.MIB, 0, 1);
    try (SimBackend backend = backend(idle.with(busy))) {
      assertEquals(idle.with(busy).rules().size(), backend.getFaults().getUnused().rules().size());
      asked(backend, 3);
      assertEquals(idle, backend.getFaults().getUnused());
      backend.getFaults().endHangs();
      assertEquals(idle.rules().size(), backend.getFaults().getUnused().rules().size());
      backend.getFaults().clear();
      assertEquals(FaultPlan.NONE, backend.getFaults().getUnused());
    }
  }

  @Test
  @DisplayName("reports a rule that missed the only call it could match")
  void missed() {
    CallSelector another = CallSelector.of("cuMemAlloc").withNth(1).withEvery(2);
    try (SimBackend backend = backend(FaultPlan.NONE.fail(another, Fault.OUT_OF_MEMORY))) {
      backend.getDevice(0).getMemory().allocate(1);
      assertEquals(1, backend.getFaults().getUnused().rules().size());
      assertEquals(FaultPlan.NONE, backend.getFaults().getPlan());
    }
  }
}
