package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPools;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
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
import org.vramkit.sim.program.ByteRange;
import org.vramkit.sim.program.Program;
import org.vramkit.sim.program.ProgramDevice;
import org.vramkit.sim.program.ProgramRecorder;
import org.vramkit.sim.program.ProgramSetup;
import org.vramkit.sim.program.ProgramThread;
import org.vramkit.sim.program.Step;
import org.vramkit.sim.program.StepDraft;
import org.vramkit.sim.program.StepFailure;
import org.vramkit.sim.program.StepFault;
import org.vramkit.sim.program.StepKind;
import org.vramkit.sim.replay.ProgramRun;
import org.vramkit.sim.replay.ProgramRunner;
import org.vramkit.sim.replay.ProgramShrinker;
import org.vramkit.sim.replay.ReportSignature;
import org.vramkit.sim.replay.ShrunkProgram;
import org.vramkit.sim.replay.SingleThread;
import org.vramkit.sim.schedule.Schedule;
import org.vramkit.sim.schedule.ScheduleSearch;

@DisplayName("A null is refused by the name of what it was given for")
class NullArgumentsTest {
  /** The packages that a module path lets users see. */
  private static final Set<String> EXPORTED =
      Set.of("", "driver", "hazard", "program", "replay", "schedule");

  private final List<Object> samples = new ArrayList<>();

  private static Graph graph(SimDevice device) {
    SimStream stream = device.createStream();
    device.getGraphs().beginCapture(stream);
    return device.getGraphs().endCapture(stream);
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
    ProgramSetup setup =
        new ProgramSetup(
            1,
            Schedule.timed(),
            true,
            CheckerOptions.DEFAULT,
            List.of(
                new ProgramDevice(
                    DeviceProfile.H200.properties(), DeviceProfile.H200.capabilities())));
    Step step =
        new Step(
            1,
            0,
            0,
            StepKind.ADVANCE,
            0,
            0,
            List.of(),
            List.of(),
            List.of(),
            1,
            "",
            StepFailure.NONE,
            StepFault.NONE);
    Program program = new Program(setup, List.of(ProgramThread.named("main")), List.of(step), true);
    ProgramRun run = ProgramRunner.run(program);
    ReportSignature signature = ReportSignature.of(report);
    samples.addAll(
        List.of(
            gpu,
            SimBackend.builder(),
            device,
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
        List.of(
            setup,
            setup.devices().get(0),
            step,
            StepFailure.NONE,
            StepFault.NONE,
            program,
            new ByteRange(0, 0, 0),
            new ProgramShrinker(),
            run,
            signature,
            new ShrunkProgram(program, signature, "report", 1, 1, true),
            Schedule.timed(),
            new ScheduleSearch(1),
            new ScheduleSearch.Choice(0, 2)));
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
            (Callable<Object>) () -> "",
            (Supplier<Object>) () -> true,
            (Consumer<Object>) any -> {},
            (Function<Object, Object>) any -> List.of(),
            (UnaryOperator<Object>) any -> any,
            (IntUnaryOperator) any -> any,
            (ToLongFunction<Object>) any -> 0));
  }

  private Object sample(Class<?> type) {
    if (type == int.class) {
      return 1;
    }
    if (type == long.class) {
      return 1L;
    }
    if (type == byte.class) {
      return (byte) 1;
    }
    if (type == double.class) {
      return 1.0;
    }
    if (type == boolean.class) {
      return true;
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    return samples.stream()
        .filter(type::isInstance)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no sample of " + type));
  }

  private static List<Class<?>> publicTypes() throws IOException, URISyntaxException {
    Path classes =
        Path.of(SimBackend.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path root = classes.resolve("org/vramkit/sim");
    List<Class<?>> types = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
        Path folder = root.relativize(file.getParent());
        String name =
            classes.relativize(file).toString().replace(file.getFileSystem().getSeparator(), ".");
        if (EXPORTED.contains(folder.toString()) && !name.contains("package-info")) {
          types.add(type(name.substring(0, name.length() - ".class".length())));
        }
      }
    }
    // The simulator's own: users have programs, which these two make.
    types.removeIf(
        type ->
            !isPublic(type)
                || Throwable.class.isAssignableFrom(type)
                || type == StepDraft.class
                || type == ProgramRecorder.class);
    assertTrue(types.size() > 50, () -> "found only " + types);
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

  private static Class<?> type(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new LinkageError("a class that was just listed", e);
    }
  }

  private static boolean isPublic(@Nullable Class<?> type) {
    return type == null
        || (Modifier.isPublic(type.getModifiers()) && isPublic(type.getEnclosingClass()));
  }

  private static Stream<Executable> calls(Class<?> type) {
    Set<String> ofLanguage = Set.of("equals", "valueOf", "compareTo");
    return Stream.concat(
            Arrays.stream(type.getConstructors()), Arrays.stream(type.getDeclaredMethods()))
        .filter(call -> Modifier.isPublic(call.getModifiers()) && !call.isSynthetic())
        .filter(call -> !ofLanguage.contains(call.getName()))
        .map(Executable.class::cast);
  }

  @Test
  @DisplayName("in every public constructor and method")
  void everywhere() throws Exception {
    List<String> wrong = new ArrayList<>();
    int tried = 0;
    try (SimBackend gpu =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .device(DeviceProfile.SMALL_8GIB)
            .recording(true)
            .build()) {
      collect(gpu);
      int steps = gpu.getProgram().steps().size();
      for (Class<?> type : publicTypes()) {
        for (Executable call : calls(type).toList()) {
          AnnotatedType[] annotated = call.getAnnotatedParameterTypes();
          Parameter[] parameters = call.getParameters();
          for (int i = 0; i < parameters.length; i++) {
            if (!parameters[i].getType().isPrimitive()
                && !annotated[i].isAnnotationPresent(Nullable.class)) {
              tried++;
              String found = outcome(type, call, parameters, i);
              if (!found.equals(parameters[i].getName())) {
                wrong.add(call + ", " + parameters[i].getName() + ": " + found);
              }
            }
          }
        }
      }
      assertEquals("", String.join("\n", wrong));
      assertEquals(steps, gpu.getProgram().steps().size(), "no such call is recorded");
      assertEquals(List.of(), gpu.getHazards());
      assertEquals(List.of(), gpu.getWarnings());
    }
    assertTrue(tried > 150, "tried only " + tried);
  }

  /** What a call with a null in place of one argument says. */
  private String outcome(Class<?> type, Executable call, Parameter[] parameters, int nothing)
      throws ReflectiveOperationException {
    @Nullable Object[] arguments = new @Nullable Object[parameters.length];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = i == nothing ? null : sample(parameters[i].getType());
    }
    try {
      if (call instanceof java.lang.reflect.Constructor<?> constructor) {
        constructor.newInstance(arguments);
      } else {
        Method method = (Method) call;
        method.setAccessible(true);
        method.invoke(Modifier.isStatic(call.getModifiers()) ? null : sample(type), arguments);
      }
      return "nothing is thrown";
    } catch (InvocationTargetException e) {
      return e.getCause() instanceof NullPointerException refusal
          ? String.valueOf(refusal.getMessage())
          : String.valueOf(e.getCause());
    }
  }
}
