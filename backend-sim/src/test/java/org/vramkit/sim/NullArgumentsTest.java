package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPools;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.PeerAccess;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.CostCurve;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.driver.FaultRule;
import org.vramkit.sim.driver.WorkSelector;
import org.vramkit.sim.examples.KernelExamples;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.hazard.LeakReport;
import org.vramkit.sim.hazard.NearestOrder;
import org.vramkit.sim.hazard.Owner;
import org.vramkit.sim.hazard.RunId;
import org.vramkit.sim.hazard.Shortfall;
import org.vramkit.sim.schedule.Schedule;
import org.vramkit.sim.schedule.ScheduleSearch;
import org.vramkit.sim.thread.SingleThread;

@DisplayName("A null is refused by the name of what it was given for")
class NullArgumentsTest {
  /** The packages that a module path lets users see. */
  private static final Set<String> EXPORTED = Set.of("", "driver", "hazard", "schedule", "thread");

  private final List<Object> samples = new ArrayList<>();
  private final CallCounter recorder = new CallCounter();

  private static Graph graph(SimDevice device) {
    SimStream stream = device.createStream();
    device.getGraphs().beginCapture(stream);
    return device.getGraphs().endCapture(stream);
  }

  private static Kernel kernelOf(SimDevice device) {
    return device.loadModule(KernelExamples.faultyPtx()).getKernel("meet");
  }

  /** Things of all kinds, as receivers and as the other arguments. */
  private void collect(SimBackend gpu) {
    SimDevice device = gpu.getDevice(0);
    SimStream stream = device.createStream();
    DriverPool pool = device.getDriverPools().create(0);
    SimKernel kernel = SimKernel.named("sample").build();
    List<DeviceBytes> seen = new ArrayList<>();
    stream.launch(SimKernel.named("look").body(seen::add).build());
    stream.synchronize();
    Access access = new Access("a", 1, "s", "t", AccessKind.READ, 0, 0, List.of());
    NearestOrder nearest = new NearestOrder(Shortfall.TOO_EARLY, List.of(), "words");
    HazardReport report =
        new HazardReport(
            HazardCode.RACE_RAW,
            new RunId(1, "timed"),
            0,
            null,
            null,
            0,
            0,
            null,
            access,
            "m",
            nearest,
            "r",
            "l");
    Leak leak = new Leak(LeakKind.EVENT, 0, 1, "", 0, List.of(), false);
    samples.addAll(
        List.of(
            gpu,
            SimBackend.builder(),
            device,
            kernelOf(device),
            LaunchConfig.of(1, 1),
            new Object[0],
            new byte[0],
            stream,
            device.createEvent(),
            gpu.createGate("gate"),
            gpu.newHandOff(),
            kernel,
            SimKernel.named("builder"),
            seen.get(0),
            DeviceProfile.H200,
            DeviceProfile.H200.properties(),
            DeviceProfile.builder("profile"),
            new SimBackendProvider(),
            pool,
            device.getDriverPools(),
            device.getMemoryObserver(),
            device.getPeerAccess(),
            device.getVirtualMemory(),
            device.getGraphs(),
            graph(device),
            device.getPinnedMemory().allocate(64)));
    samples.addAll(
        List.of(
            gpu.getDriverCalls(),
            gpu.getFaults(),
            CallSelector.any(),
            WorkSelector.any(),
            CostCurve.constant(1),
            CostModel.FREE,
            Fault.UNKNOWN,
            FaultPlan.NONE,
            new FaultRule.Hang(WorkSelector.any()),
            access,
            nearest,
            report,
            leak,
            new LeakReport(List.of()),
            new Owner(1, "block", null, 1, 1, null, null),
            CheckerOptions.DEFAULT,
            new RunId(1, "timed")));
    samples.addAll(
        List.of(Schedule.timed(), new ScheduleSearch(1), new ScheduleSearch.Choice(0, 2)));
    SingleThread single = SingleThread.named("sample");
    single.shutdown();
    samples.addAll(
        List.of(
            new HashMap<>(),
            single,
            "text",
            Path.of("none"),
            ByteBuffer.allocate(1),
            Duration.ZERO,
            new byte[1],
            new long[] {0, 1},
            List.of(),
            Set.of(),
            new IllegalStateException("sample"),
            new ReentrantLock(),
            (Runnable) () -> {},
            (Executor) Runnable::run,
            (ThreadFactory) Thread::new,
            (Callable<Object>) () -> "",
            (Supplier<Object>) () -> true,
            (Consumer<Object>) any -> {},
            (Function<Object, Object>) any -> List.of(),
            (UnaryOperator<Object>) any -> any,
            (IntUnaryOperator) any -> any,
            (ToLongFunction<Object>) any -> 0));
  }

  private static List<Class<?>> publicTypes() throws IOException, URISyntaxException {
    List<Class<?>> types = NullArguments.publicTypes(SimBackend.class, EXPORTED);
    assertTrue(types.size() > 40, () -> "found only " + types);
    types.addAll(
        List.of(
            StreamOrderedMemory.class,
            DriverPool.class,
            DriverPools.class,
            Graph.class,
            Graphs.class,
            MemoryObserver.class,
            PeerAccess.class,
            VirtualMemory.class));
    return types;
  }

  @Test
  @DisplayName("in every public constructor and method")
  void everywhere() throws Exception {
    try (SimBackend gpu =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .device(DeviceProfile.SMALL_8GIB)
            .recorder(recorder)
            .build()) {
      collect(gpu);
      int calls = recorder.calls;
      NullArguments nulls = new NullArguments(samples);
      assertEquals("", nulls.wrong(publicTypes()));
      assertTrue(nulls.tried() > 120, () -> "tried only " + nulls.tried());
      assertEquals(calls, recorder.calls, "no such call is recorded");
      assertEquals(List.of(), gpu.getHazards());
      assertEquals(List.of(), gpu.getWarnings());
    }
  }
}
