package org.vramkit.tools.replay;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.tools.trace.Trace;

/**
 * Replays the events of a trace in order, on one host thread.
 *
 * <ul>
 *   <li>Before each event, the simulator's clock advances to the event's time. A pass starts when
 *       the previous one has ended.
 *   <li>Stream 0 of a trace is the device's default stream; the others are non-blocking streams.
 *   <li>A kernel writes each whole allocation on its stream; on a real backend, a fill writes its
 *       first bytes.
 *   <li>Allocations that are live at the end of a pass are freed before the next one.
 *   <li>Time per event is the mean wall-clock time in the allocator's {@code allocate} and {@code
 *       close}, including driver or simulator calls and about 25 ns for reading the clock. It
 *       excludes kernels, the simulator's clock, statistics and frees at the end of a pass.
 *   <li>With {@link CheckerMode#BOTH}, a second replay with the simulator's checker provides the
 *       hazards; the first replay, without the checker, provides all other figures.
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
  private int pass;
  private long failed;
  private @Nullable Refusal firstRefusal;
  private long timedNanos;
  private long longestNanos;
  private @Nullable Long longestDriverNanos;
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
   * Opens the backend and the allocator once, to reject invalid options before a trace is read.
   *
   * @param source the command-line option that sets the allocator's options, such as {@code
   *     --option}
   * @throws UsageException if an option is invalid
   * @throws org.vramkit.api.error.BackendNotAvailableException if the backend cannot be used
   */
  public static void check(ReplayOptions options, String source) {
    try (ReplayTarget target = options.openTarget(ReplayOptions.DEFAULT_MEMORY, false)) {
      Allocators.create(options.allocator(), target, options.allocatorOptions(), source).close();
    }
  }

  /**
   * Replays a trace on a fresh device, or on two in turn with {@link CheckerMode#BOTH}.
   *
   * @throws UsageException if an option is invalid
   * @throws org.vramkit.api.error.GpuException if the backend fails for a reason other than lack of
   *     memory
   */
  public static ReplayResult run(Trace trace, ReplayOptions options, Progress progress) {
    if (options.runsTwice()) {
      ReplayResult measured = run(trace, options.withChecker(CheckerMode.OFF), progress);
      return measured.withHazardsOf(run(trace, options.withChecker(CheckerMode.ON), progress));
    }
    boolean checked = options.checker() == CheckerMode.ON;
    try (ReplayTarget target = options.openTarget(trace.getRequestedPeakBytes(), checked)) {
      return run(
          trace,
          options,
          target,
          opened -> Allocators.create(options.allocator(), opened, options.allocatorOptions()),
          progress);
    }
  }

  /**
   * Finds a larger memory of the simulated device that suffices for the same options; 0 if that
   * exceeds a simulated device.
   */
  public static long findSufficientMemory(Trace trace, ReplayOptions options) {
    long peak = trace.getRequestedPeakBytes();
    long bytes = printed(Math.max(2 * options.memoryFor(peak), peak));
    while (bytes <= DeviceProfile.MAXIMUM_MEMORY) {
      if (run(trace, options.withMemory(bytes), Progress.NONE).failedAllocations() == 0) {
        return bytes;
      }
      bytes = printed(2 * bytes);
    }
    return 0;
  }

  /** Rounds a size up to one that is printed in full. */
  private static long printed(long bytes) {
    return ByteSize.parse(ByteSize.formatUp(bytes));
  }

  /** Counts the events that a run reports to its {@link Progress}. */
  public static long countEvents(Trace trace, ReplayOptions options) {
    return (long) trace.getEventCount() * options.repeat() * (options.runsTwice() ? 2 : 1);
  }

  /** Creates the allocator of a replay. */
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
    while (passes.size() < options.repeat()) {
      double nanosPerEvent = replay.pass();
      DriverFigures before = figures;
      figures = target.getFigures();
      passes.add(
          new ReplayPass(
              figures == null ? null : figures.since(before),
              nanosPerEvent,
              replay.longestNanos,
              replay.longestDriverNanos,
              allocator.getStatistics().reserved().peak()));
      replay.freeAll();
    }
    allocator.close();
    streams.stream().skip(1).forEach(Stream::close);
    return new ReplayResult(
        trace,
        target.getDevice().getBackend().getName(),
        options.allocator(),
        options.checker(),
        replay.failed,
        replay.firstRefusal,
        figures,
        passes,
        target.getHazards(),
        replay.findings(),
        replay.timeline);
  }

  /** Replays one pass over the trace; returns its time per event in nanoseconds. */
  private double pass() {
    pass++;
    long start = target.getTimeNanos();
    long requested = 0;
    timedNanos = 0;
    longestNanos = 0;
    longestDriverNanos = target.getDriverNanos() == null ? null : 0L;
    timedEvents = 0;
    int events = trace.getEventCount();
    for (int event = 0; event < events; event++) {
      target.advanceTo(start + trace.getNanos(event));
      int number = trace.getAllocation(event);
      if (trace.isAllocation(event)) {
        allocate(number, trace.getNanos(event));
        requested += trace.getSize(number);
      } else {
        free(number);
        requested -= trace.getSize(number);
      }
      boolean rises = event + 1 < events && trace.isAllocation(event + 1);
      if (pass == 1 && timeline.wantsReserved(event, requested, rises)) {
        timeline.add(event, allocator.getStatistics().reserved().current());
      }
      if ((event + 1) % PROGRESS_STRIDE == 0) {
        progress.advance(PROGRESS_STRIDE);
      }
    }
    progress.advance(events % PROGRESS_STRIDE);
    return timedEvents == 0 ? 0 : (double) timedNanos / timedEvents;
  }

  private void allocate(int number, long nanos) {
    long size = trace.getSize(number);
    Stream stream = streams.get(trace.getStream(number));
    Long driverBefore = target.getDriverNanos();
    long begin = System.nanoTime();
    Allocation allocation;
    try {
      allocation = allocator.allocate(size, stream);
    } catch (DeviceOutOfMemoryException e) {
      failed++;
      if (firstRefusal == null) {
        String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        firstRefusal = new Refusal(pass, number, nanos, size, trace.getStream(number), message);
      }
      return;
    }
    took(System.nanoTime() - begin, driverBefore);
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
    Long driverBefore = target.getDriverNanos();
    long begin = System.nanoTime();
    allocation.close();
    took(System.nanoTime() - begin, driverBefore);
  }

  private void took(long nanos, @Nullable Long driverBefore) {
    Long driverAfter = target.getDriverNanos();
    if (driverBefore != null && driverAfter != null && longestDriverNanos != null) {
      longestDriverNanos = Math.max(longestDriverNanos, driverAfter - driverBefore);
    }
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

  private List<String> findings() {
    List<String> findings = new ArrayList<>();
    Long hazards = target.getHazards();
    if (hazards != null && hazards > 0) {
      findings.add(Count.of(hazards, "hazard") + ", the first: " + target.getFirstHazard());
    }
    List<String> leaks = target.getLeaks();
    if (!leaks.isEmpty()) {
      findings.add(
          Count.of(leaks.size(), "leak")
              + " after the allocator was closed, the first: "
              + leaks.get(0));
    }
    return findings;
  }
}
