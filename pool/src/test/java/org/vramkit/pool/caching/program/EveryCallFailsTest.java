package org.vramkit.pool.caching.program;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.sim.driver.DriverFunction.EVENT_CREATE;
import static org.vramkit.sim.driver.DriverFunction.EVENT_DESTROY;
import static org.vramkit.sim.driver.DriverFunction.EVENT_QUERY;
import static org.vramkit.sim.driver.DriverFunction.EVENT_RECORD;
import static org.vramkit.sim.driver.DriverFunction.EVENT_SYNCHRONIZE;
import static org.vramkit.sim.driver.DriverFunction.MEM_ADDRESS_FREE;
import static org.vramkit.sim.driver.DriverFunction.MEM_ADDRESS_RESERVE;
import static org.vramkit.sim.driver.DriverFunction.MEM_ALLOC;
import static org.vramkit.sim.driver.DriverFunction.MEM_CREATE;
import static org.vramkit.sim.driver.DriverFunction.MEM_FREE;
import static org.vramkit.sim.driver.DriverFunction.MEM_MAP;
import static org.vramkit.sim.driver.DriverFunction.MEM_RELEASE;
import static org.vramkit.sim.driver.DriverFunction.MEM_SET_ACCESS;
import static org.vramkit.sim.driver.DriverFunction.MEM_UNMAP;
import static org.vramkit.sim.driver.DriverFunction.STREAM_QUERY;
import static org.vramkit.sim.driver.DriverFunction.STREAM_SYNCHRONIZE;
import static org.vramkit.sim.driver.DriverFunction.STREAM_WAIT_EVENT;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.DriverCall;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;

@DisplayName("Whichever call of the caching allocator the driver fails")
@Tag("own-schedules")
class EveryCallFailsTest {
  /** Each on another schedule; together their programs make every call. */
  private static final long[] SEEDS = {5, 6, 12};

  /** What takes memory for a block: if it is short of some, there are ways to go on. */
  private static final Set<DriverFunction> TAKING =
      EnumSet.of(MEM_ALLOC, MEM_CREATE, MEM_MAP, MEM_SET_ACCESS);

  /** What each kind of memory needs, besides what both do. */
  private static final Map<VirtualMemoryUse, Set<DriverFunction>> CALLED =
      Map.of(
          VirtualMemoryUse.ON,
          EnumSet.of(
              MEM_ADDRESS_RESERVE,
              MEM_ADDRESS_FREE,
              MEM_CREATE,
              MEM_RELEASE,
              MEM_MAP,
              MEM_UNMAP,
              MEM_SET_ACCESS),
          VirtualMemoryUse.OFF,
          EnumSet.of(MEM_ALLOC, MEM_FREE));

  private static final Set<DriverFunction> ALWAYS_CALLED =
      EnumSet.of(
          STREAM_QUERY,
          STREAM_SYNCHRONIZE,
          STREAM_WAIT_EVENT,
          EVENT_CREATE,
          EVENT_RECORD,
          EVENT_QUERY,
          EVENT_SYNCHRONIZE,
          EVENT_DESTROY);

  /** What else may be short of memory. */
  private static final Set<DriverFunction> MAKING = EnumSet.of(MEM_ADDRESS_RESERVE, EVENT_CREATE);

  @OnBothMemories
  @DisplayName("17.16 its books add up, contents stay, the next try succeeds, and all goes back")
  void refused(VirtualMemoryUse use) {
    Set<DriverFunction> failed = EnumSet.noneOf(DriverFunction.class);
    eachCall(
        use,
        (seed, call) -> {
          failed.add(call.function());
          runFailing(seed, use, call, Fault.UNKNOWN);
          if (MAKING.contains(call.function())) {
            runFailing(seed, use, call, Fault.OUT_OF_MEMORY);
          }
        });
    Set<DriverFunction> wanted = EnumSet.copyOf(ALWAYS_CALLED);
    wanted.addAll(requireNonNull(CALLED.get(use)));
    wanted.removeAll(failed);
    assertEquals(Set.of(), wanted, "functions that were never called");
  }

  @OnBothMemories
  @DisplayName("42.23 by an OutOfMemoryError of the JVM, later calls say so, and all goes back")
  void jvmOutOfMemory(VirtualMemoryUse use) {
    eachCall(
        use,
        (seed, call) -> {
          // Without addresses there is no allocator that could lose anything.
          if (call.function() != MEM_ADDRESS_RESERVE) {
            run(seed, use, failing(call, Fault.JVM_OUT_OF_MEMORY), FaultedProgram::runAndBreak);
          }
        });
  }

  @OnBothMemories
  @DisplayName("for a passing lack of memory, no error is visible while enough memory is" + " free")
  void shortOfMemory(VirtualMemoryUse use) {
    eachCall(
        use,
        (seed, call) -> {
          if (TAKING.contains(call.function())) {
            assertEquals(0, runFailing(seed, use, call, Fault.OUT_OF_MEMORY).getRefusals());
          }
        });
  }

  @OnBothMemories
  @DisplayName("and loses the device, the statistics add up, and a close releases everything")
  void lost(VirtualMemoryUse use) {
    eachCall(
        use,
        (seed, call) -> {
          // Without addresses there is no allocator that could lose anything.
          if (call.function() != MEM_ADDRESS_RESERVE) {
            run(seed, use, failing(call, Fault.FATAL), FaultedProgram::runAndLose);
          }
        });
  }

  /** Hands over every call that an allocator makes in the programs. */
  private static void eachCall(VirtualMemoryUse use, BiConsumer<Long, DriverCall> check) {
    for (long seed : SEEDS) {
      for (DriverCall call : run(seed, use, FaultPlan.NONE, FaultedProgram::run).getCalls()) {
        check.accept(seed, call);
      }
    }
  }

  private static FaultPlan failing(DriverCall call, Fault fault) {
    return FaultPlan.NONE.fail(CallSelector.any().withNumber(call.number()), fault);
  }

  private static FaultedProgram runFailing(
      long seed, VirtualMemoryUse use, DriverCall call, Fault fault) {
    FaultedProgram program = run(seed, use, failing(call, fault), FaultedProgram::run);
    assertEquals(1, program.getFaults(), () -> "the run took another way before " + call);
    return program;
  }

  private static FaultedProgram run(
      long seed, VirtualMemoryUse use, FaultPlan plan, Consumer<FaultedProgram> way) {
    FaultedProgram program = new FaultedProgram(seed, use, plan);
    try {
      way.accept(program);
      return program;
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(
          "seed " + seed + ", memory " + use + ", " + plan + ", while it was to " + program, e);
    }
  }
}
