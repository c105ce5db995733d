package org.vramkit.sim;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.ptx.Launch;
import org.vramkit.ptx.LaunchResult;
import org.vramkit.ptx.report.AccessedRange;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.report.Footprint;
import org.vramkit.ptx.report.PtxException;
import org.vramkit.sim.check.Operation;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.recording.CallNote;
import org.vramkit.sim.timeline.Point;

/**
 * A launch of a kernel's code.
 *
 * <h2>When it runs</h2>
 *
 * The code runs when the launch is submitted, after the work that it waits for: any device may be
 * as fast as that. Its accesses are therefore known at the submission, as those of copies, so that
 * the checker judges them in the order of submission and reports do not depend on the schedule. Its
 * writes go to copies, and become visible when the schedule reaches the launch; until then, work
 * that is not ordered with the launch finds the old bytes.
 *
 * <h2>Held launches</h2>
 *
 * A launch behind a closed gate, a hang, or a host function that has not run cannot run at its
 * submission. It runs when its stream reaches it, on the bytes of then. Its accesses to global
 * memory are then not compared with those of other work, and may lie in what was freed since.
 *
 * <p>Guarded by the backend's lock.
 */
final class KernelLaunch {
  /** Instructions that a multiprocessor of any supported device ends in a cycle. */
  private static final int LANES = 128;

  private static final double MILLIS_TO_NANOS = 1e6;

  private final Engine engine;
  private final DeviceCore device;
  private final LoadedKernel kernel;
  private final LaunchConfig config;
  private final byte[] arguments;
  private final IntPredicate isPeerOpen;

  /** The bytes that the launch accessed; null until it has run at its submission. */
  private @Nullable Footprint accessed;

  private boolean captured;

  /** Adds the accesses of a graph's launch to the recorded capture; null if nothing records. */
  private @Nullable BiConsumer<String, Consumer<CallNote>> note;

  KernelLaunch(
      DeviceCore device,
      LoadedKernel kernel,
      LaunchConfig config,
      byte[] arguments,
      IntPredicate isPeerOpen) {
    this.engine = device.engine;
    this.device = device;
    this.kernel = kernel;
    this.config = config;
    this.arguments = arguments;
    this.isPeerOpen = isPeerOpen;
  }

  /** Returns the name of the launch in reports. */
  String words() {
    return "kernel " + kernel.getName();
  }

  /** Tells that the launch runs with each launch of a graph. */
  void captured() {
    captured = true;
    kernel.module.captured();
  }

  /**
   * Records the launch as that of a kernel that declares the accesses, unless they were unknown at
   * the submission. The accesses of a captured launch are added when its graph is launched.
   *
   * @param on notes the stream
   */
  void note(UnaryOperator<CallNote> on) {
    Footprint known = accessed;
    if (captured) {
      SimKernel declared = SimKernel.named(kernel.getName()).build();
      note = engine.recording.noteOpen(declared.call, step -> declared.note(on.apply(step)));
    } else if (known != null) {
      SimKernel declared = declaring(known);
      engine.recording.note(declared.call, step -> declared.note(on.apply(step)));
    }
  }

  private void noteLaunchOfGraph(Footprint touched) {
    if (note != null) {
      SimKernel declared = declaring(touched);
      note.accept(declared.call, declared::note);
    }
  }

  private SimKernel declaring(Footprint known) {
    SimKernel.Builder declared = SimKernel.named(kernel.getName());
    known.reads().forEach(each -> declared.reads(each.address(), each.bytes()));
    known.writes().forEach(each -> declared.writes(each.address(), each.bytes()));
    known.atomics().forEach(each -> declared.atomics(each.address(), each.bytes()));
    return declared.build();
  }

  /** Queues the launch; {@code words} is its name in reports. */
  void submit(StreamQueue on, long stream, Operation operation, String words) {
    if (!engine.bytes) {
      on.setTail(engine.submit(on.lane, on.tail(), stream, 0, overhead(), null, operation));
    } else if (engine.timeline.runBefore(on.tail())) {
      AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();
      engine.work(words, () -> outcome.set(run(operation))).run();
      Outcome found = outcome.get();
      Runnable effect = found == null ? null : engine.work(words, found.publish);
      long nanos = found == null ? overhead() : found.nanos;
      on.setTail(engine.submit(on.lane, on.tail(), stream, 0, nanos, effect, operation));
    } else {
      Runnable late =
          engine.work(
              words,
              () -> {
                LaunchMemory memory = memory(operation);
                LaunchResult result = interpret(memory);
                Fault fault = report(operation, result);
                if (fault == null || !isFatal()) {
                  memory.takeChanges().run();
                } else {
                  lose(fault, operation);
                }
              });
      on.setTail(engine.submit(on.lane, on.tail(), stream, 0, overhead(), late, operation));
    }
  }

  /** The result of a launch: code that makes its writes visible, and its duration. */
  private record Outcome(Runnable publish, long nanos) {}

  private Outcome run(Operation operation) {
    LaunchMemory memory = memory(operation);
    LaunchResult result = interpret(memory);
    Fault fault = report(operation, result);
    Footprint touched = result.footprint();
    accessed = touched;
    noteLaunchOfGraph(touched);
    boolean legal = engine.checker.kernels.check(operation, device.ordinal, touched);
    if ((fault != null || !legal) && isFatal()) {
      Fault found = fault == null ? Fault.FATAL : fault;
      engine.checker.reports.mute();
      return new Outcome(() -> lose(found, operation), overhead());
    }
    HostBytes.update(engine.space, operation, touched);
    moveManaged(touched);
    BooleanSupplier accessible = memory.accessibility();
    Runnable changes = memory.takeChanges();
    return new Outcome(
        isFatal() ? () -> runIf(accessible, changes, operation) : changes, nanos(result));
  }

  /** Makes writes visible, or loses the devices if an access has ended since the submission. */
  private void runIf(BooleanSupplier accessible, Runnable changes, Operation operation) {
    if (accessible.getAsBoolean()) {
      changes.run();
    } else {
      lose(Fault.FATAL, operation);
    }
  }

  /** Reports what is wrong within the launch; returns how a real device would fail. */
  private @Nullable Fault report(Operation operation, LaunchResult result) {
    return engine.checker.kernels.report(operation, device.ordinal, result.findings());
  }

  /** Returns whether an illegal access loses the devices: else a report has named it. */
  private boolean isFatal() {
    return engine.checker.options.fatalIllegalAccess() || !engine.checker.options.enabled();
  }

  private void lose(Fault fault, Operation operation) {
    engine.lose(fault, DriverFunction.LAUNCH_KERNEL, operation);
  }

  private LaunchMemory memory(Operation operation) {
    return new LaunchMemory(engine.space, engine.checker, device.ordinal, operation, isPeerOpen);
  }

  private LaunchResult interpret(LaunchMemory memory) {
    Launch launch =
        Launch.of(kernel.getName(), extent(config.grid()), extent(config.block()))
            .sharedBytes(config.dynamicSharedBytes())
            .parameters(arguments)
            .checked(engine.checker.options.enabled())
            .maxSteps(engine.kernelSteps)
            .seed(engine.launchSeed())
            .startNanos(engine.timeline.now())
            .output(System.out::print);
    try {
      return kernel.module.code.launch(launch, memory);
    } catch (PtxException e) {
      throw new IllegalStateException(words() + ": " + e.getMessage(), e);
    }
  }

  private void moveManaged(Footprint touched) {
    Stream.of(touched.reads(), touched.writes(), touched.atomics())
        .flatMap(List::stream)
        .forEach(each -> engine.moveManaged(device.ordinal, each.address(), each.bytes()));
  }

  static Dim3 extent(org.vramkit.api.device.Dim3 extent) {
    return new Dim3(extent.x(), extent.y(), extent.z());
  }

  private long overhead() {
    return engine.costs.getKernelOverheadNanos();
  }

  /**
   * Returns the duration: the overhead, and the time of the instructions or of the touched bytes,
   * whichever is longer.
   */
  private long nanos(LaunchResult result) {
    DeviceProperties properties = device.device.getProperties();
    double bandwidth = properties.getMemoryBandwidth();
    double perMilli = (double) LANES * properties.multiprocessors() * properties.clockKilohertz();
    Footprint touched = result.footprint();
    long bytes = sum(touched.reads()) + sum(touched.writes()) + sum(touched.atomics());
    double moving = bandwidth == 0 ? 0 : bytes * 1e9 / bandwidth;
    double computing = perMilli == 0 ? 0 : result.instructions() / perMilli * MILLIS_TO_NANOS;
    return Point.after(overhead(), (long) Math.max(moving, computing));
  }

  private static long sum(Iterable<AccessedRange> ranges) {
    long sum = 0;
    for (AccessedRange each : ranges) {
      sum += each.bytes();
    }
    return sum;
  }
}
