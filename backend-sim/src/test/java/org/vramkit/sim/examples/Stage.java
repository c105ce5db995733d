package org.vramkit.sim.examples;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.schedule.Schedule;

/** Runs examples: each on two small devices of its own, two streams, and a thread called main. */
final class Stage {
  /** What a report says of every run alike, and how memory came about, which is no news here. */
  private static final Pattern LEFT_OUT = Pattern.compile("  (run|see) .*| {11}.*");

  private Stage() {}

  /** Hazards, then warnings, of the example of a code. */
  static List<HazardReport> run(HazardCode code) throws Exception {
    Method example = Examples.byCode().get(code);
    boolean requireContext = example.getAnnotation(Gives.class).requireContext();
    // The thread's name stands in the report, and tests may run on any thread.
    FutureTask<List<HazardReport>> task = new FutureTask<>(call(example, requireContext));
    Thread thread = new Thread(task, "main");
    thread.start();
    return task.get();
  }

  private static Callable<List<HazardReport>> call(Method example, boolean requireContext) {
    return () -> {
      SimBackend.Builder builder = SimBackend.builder().seed(1).schedule(Schedule.timed());
      try (SimBackend backend =
          builder
              .device(DeviceProfile.SMALL_8GIB)
              .device(DeviceProfile.SMALL_8GIB)
              .patience(Duration.ofMillis(20))
              .kernelSteps(100_000)
              .checker(CheckerOptions.DEFAULT.withRequireContext(requireContext))
              .build()) {
        SimDevice gpu = backend.getDevice(0);
        invoke(example, gpu, gpu.createStream("a"), gpu.createStream("b"));
        List<HazardReport> reports = new ArrayList<>(backend.getHazards());
        reports.addAll(backend.getWarnings());
        return reports;
      }
    };
  }

  private static void invoke(Method example, Object... arguments) throws Exception {
    try {
      example.invoke(null, arguments);
    } catch (InvocationTargetException e) {
      // Some calls are refused as well as reported; anything else is a fault of the example.
      Throwable cause = e.getCause();
      if (!(cause instanceof GpuException || cause instanceof ClosedException)) {
        throw e;
      }
    }
  }

  /** The lines of a report that differ from code to code. */
  static String abridged(HazardReport report) {
    return report
        .toString()
        .lines()
        .filter(line -> !LEFT_OUT.matcher(line).matches())
        .collect(Collectors.joining("\n", "", "\n"));
  }
}
