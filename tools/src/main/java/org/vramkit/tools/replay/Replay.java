package org.vramkit.tools.replay;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.Count;
import org.vramkit.tools.trace.Trace;

/**
 * Replays a trace on one host thread, in the order of the trace.
 *
 * <ul>
 *   <li>Before each event the simulator's clock goes to the event's own time, so that streams are
 *       as busy as they were. A later pass begins when the pass before has ended.
 *   <li>Stream 0 of a trace is the device's default stream; every other one is a stream of its own
 *       that is not ordered with the default one.
 *   <li>Each allocation is written in full by one kernel on its stream; a real backend fills its
 *       first bytes instead.
 *   <li>What is live at the end of a pass is freed before the next one begins.
 *   <li>Time per event is wall-clock time within the allocator's {@code allocate} and {@code close}
 *       by the number of events. Reading the clock is in it, about 25 ns. So is what the allocator
 *       calls: the driver, or the simulator in its place. Kernels, the simulator's clock,
 *       statistics and frees at the end of a pass are not.
 *   <li>On the simulator a trace is replayed twice: with the checker for all figures but the times,
 *       and again without it for those, because judging takes longer than allocating.
 * </ul>
 */
public final class Replay {
  private static final int PROGRESS_STRIDE = 1024;

  private final Trace trace;
  private final ReplayTarget target;
  private final Allocator allocator;
  private final List<Stream> streams;
  private final @Nullable Allocation[] handles;
  private final Progress progress;
  private final Timeline timeline;
  private long failed;
  private @Nullable String firstFailure;
  private long timedNanos;
  private long longestNanos;
  private long timedEvents;

  private Replay(
      Trace trace,
      ReplayTarget target,
      Allocator allocator,
      List<Stream> streams,
      Progress progress) {
    this.trace = trace;
    this.target = target;
    this.allocator = allocator;
    this.streams = streams;
    this.handles = new Allocation[trace.getAllocationCount()];
    this.progress = progress;
    this.timeline = new Timeline(trace.getEventCount());
  }

  /**
   * Opens the backend and the allocator once, so that a bad option is told before any trace is
   * read.
   *
   * @param source what gives the allocator's options on the command line, such as {@code --option}
   * @throws UsageException if an option does not fit
   * @throws org.vramkit.api.error.BackendNotAvailableException if the backend cannot be used
   */
  public static void check(ReplayOptions options, String source) {
    try (ReplayTarget target = options.openTarget(false)) {
      Allocators.create(options.allocator(), target, options.allocatorOptions(), source).close();
    }
  }

  /**
   * Replays a trace on a fresh device.
   *
   * @throws UsageException if an option does not fit
   * @throws org.vramkit.api.error.GpuException if the backend fails in any way but for lack of
   *     memory
   */
  public static ReplayResult run(Trace trace, ReplayOptions options, Progress progress) {
    AllocatorFactory factory =
        opened -> Allocators.create(options.allocator(), opened, options.allocatorOptions());
    ReplayResult judged;
    try (ReplayTarget target = options.openTarget(true)) {
      judged = run(trace, options, target, factory, progress);
    }
    if (!options.isSimulated()) {
      return judged;
    }
    try (ReplayTarget target = options.openTarget(false)) {
      return judged.withTimesOf(run(trace, options, target, factory, progress));
    }
  }

  /**
   * Replays a trace with the checker only: all figures of {@link #run(Trace, ReplayOptions,
   * Progress)} but the times per event.
   *
   * @throws UsageException if an option does not fit
   * @throws org.vramkit.api.error.GpuException if the backend fails in any way but for lack of
   *     memory
   */
  public static ReplayResult runJudged(Trace trace, ReplayOptions options) {
    return runOnce(trace, options, true);
  }

  /**
   * Replays a trace without the checker: for the times per event. The other figures may differ a
   * little, as strict answers of the checker teach the allocator to ask otherwise.
   *
   * @throws UsageException if an option does not fit
   * @throws org.vramkit.api.error.GpuException if the backend fails in any way but for lack of
   *     memory
   */
  public static ReplayResult runUnjudged(Trace trace, ReplayOptions options) {
    return runOnce(trace, options, false);
  }

  private static ReplayResult runOnce(Trace trace, ReplayOptions options, boolean judged) {
    try (ReplayTarget target = options.openTarget(judged)) {
      return run(
          trace,
          options,
          target,
          opened -> Allocators.create(options.allocator(), opened, options.allocatorOptions()),
          Progress.NONE);
    }
  }

  /** How many events {@link Progress} hears of in a run. */
  public static long countEvents(Trace trace, ReplayOptions options) {
    return (long) trace.getEventCount() * options.repeat() * (options.isSimulated() ? 2 : 1);
  }

  /** Makes the allocator of a run. */
  interface AllocatorFactory {
    Allocator create(ReplayTarget target);
  }

  static ReplayResult run(
      Trace trace,
      ReplayOptions options,
      ReplayTarget target,
      AllocatorFactory factory,
      Progress progress) {
    List<Stream> streams = new ArrayList<>();
    streams.add(target.getDevice().getDefaultStream());
    while (streams.size() < trace.getStreamCount()) {
      streams.add(target.getDevice().createStream());
    }
    target.startCounting();
    Allocator allocator = factory.create(target);
    Replay replay = new Replay(trace, target, allocator, streams, progress);
    List<ReplayPass> passes = new ArrayList<>();
    DriverFigures figures = null;
    for (int pass = 0; pass < options.repeat(); pass++) {
      double nanosPerEvent = replay.pass(pass == 0);
      DriverFigures before = figures;
      figures = target.getFigures();
      passes.add(
          new ReplayPass(
              figures == null ? null : figures.since(before),
              nanosPerEvent,
              replay.longestNanos,
              allocator.getStatistics().reserved().peak()));
      replay.freeAll();
    }
    allocator.close();
    streams.stream().skip(1).forEach(Stream::close);
    return new ReplayResult(
        trace,
        target.getDevice().getBackend().getName(),
        options.allocator(),
        replay.failed,
        figures,
        passes,
        target.getHazards(),
        replay.problems(),
        replay.timeline);
  }

  /** One pass over the trace; answers its time per event in nanoseconds. */
  private double pass(boolean first) {
    long start = target.getTimeNanos();
    long requested = 0;
    timedNanos = 0;
    longestNanos = 0;
    timedEvents = 0;
    int events = trace.getEventCount();
    for (int event = 0; event < events; event++) {
      target.advanceTo(start + trace.getNanos(event));
      int number = trace.getAllocation(event);
      if (trace.isAllocation(event)) {
        allocate(number);
        requested += trace.getSize(number);
      } else {
        free(number);
        requested -= trace.getSize(number);
      }
      boolean rises = event + 1 < events && trace.isAllocation(event + 1);
      if (first && timeline.hears(event, requested, rises)) {
        timeline.add(event, allocator.getStatistics().reserved().current());
      }
      if ((event + 1) % PROGRESS_STRIDE == 0) {
        progress.advance(PROGRESS_STRIDE);
      }
    }
    progress.advance(events % PROGRESS_STRIDE);
    return timedEvents == 0 ? 0 : (double) timedNanos / timedEvents;
  }

  private void allocate(int number) {
    long size = trace.getSize(number);
    Stream stream = streams.get(trace.getStream(number));
    long begin = System.nanoTime();
    Allocation allocation;
    try {
      allocation = allocator.allocate(size, stream);
    } catch (DeviceOutOfMemoryException e) {
      failed++;
      if (firstFailure == null) {
        firstFailure = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      }
      return;
    }
    took(System.nanoTime() - begin);
    handles[number] = allocation;
    if (size > 0) {
      target.touch(stream, allocation.getAddress(), size);
    }
  }

  private void free(int number) {
    Allocation allocation = handles[number];
    if (allocation == null) {
      // Its allocation failed.
      return;
    }
    handles[number] = null;
    long begin = System.nanoTime();
    allocation.close();
    took(System.nanoTime() - begin);
  }

  private void took(long nanos) {
    timedNanos += nanos;
    longestNanos = Math.max(longestNanos, nanos);
    timedEvents++;
  }

  private void freeAll() {
    for (int i = 0; i < handles.length; i++) {
      Allocation allocation = handles[i];
      if (allocation != null) {
        allocation.close();
        handles[i] = null;
      }
    }
  }

  private List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (failed > 0) {
      problems.add(Count.of(failed, "allocation") + " failed, the first: " + firstFailure);
    }
    if (target.getHazards() > 0) {
      problems.add(
          Count.of(target.getHazards(), "hazard") + ", the first: " + target.getFirstHazard());
    }
    List<String> leaks = target.getLeaks();
    if (!leaks.isEmpty()) {
      problems.add(
          Count.of(leaks.size(), "leak")
              + " after the allocator was closed, the first: "
              + leaks.get(0));
    }
    return problems;
  }
}
