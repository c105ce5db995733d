package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.sim.check.Checker;
import org.vramkit.sim.check.Operation;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.DriverCall;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.fault.ActiveFaults;
import org.vramkit.sim.fault.ActiveFaults.PlannedFault;
import org.vramkit.sim.fault.Origin;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.memory.AddressSpace;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.PhysicalBudget;
import org.vramkit.sim.memory.PhysicalMemory;
import org.vramkit.sim.recording.CallRecorder;
import org.vramkit.sim.timeline.Point;
import org.vramkit.sim.timeline.Point.Lane;
import org.vramkit.sim.timeline.Timeline;

/**
 * The driver beneath all devices of one backend: its calls and their failures. The timeline decides
 * when work runs and keeps the host's clock.
 *
 * <h2>Lock</h2>
 *
 * One lock guards everything, because in a simulator the order of calls is the order of events.
 */
final class Engine implements ActiveFaults.Driver {
  final LendableLock lock = new LendableLock();
  final AddressSpace space;
  final DriverCallCounts calls = new DriverCallCounts();
  final List<PhysicalBudget> budgets = new ArrayList<>();

  /** The pages of managed buffers by their addresses. */
  final Map<Long, ManagedPages> managed = new HashMap<>();

  /** Physical memory by its handle, which belongs to the process and not to a device. */
  final Map<Long, PhysicalMemory> physical = new HashMap<>();

  final ActiveFaults faults;
  final CostModel costs;
  final boolean bytes;
  final long seed;
  final Checker checker;
  final Timeline timeline;
  final CallRecording recording;
  final HeldWork heldWork;
  private final Consumer<DriverFunction> guard;
  final HostFunctions functions = new HostFunctions(this);
  final OpenHandles openHandles;
  final PageLockedBytes pageLocked = new PageLockedBytes();

  /** Returns the address of direct memory in the process; null for simulated addresses. */
  volatile @Nullable ToLongFunction<ByteBuffer> hostAddresses;

  /** The instructions of warps after which a launch counts as endless. */
  long kernelSteps;

  private long callNumber;
  private long numbers;
  private long traceHash = 1469598103934665603L;
  private @Nullable StickyError lost;

  /** Devices that hanging work has lost, while the others go on. */
  private final Map<Integer, StickyError> lostDevices = new HashMap<>(0);

  /** The name of the work that each thread runs; null for none. */
  private final ThreadLocal<@Nullable String> running = new ThreadLocal<>();

  /** The exception of queued work that no wait has thrown yet; null if there is none. */
  private @Nullable Throwable thrown;

  private boolean closed;

  /** Creates a driver; the guard refuses calls that are unsafe on a capturing thread. */
  Engine(
      long seed,
      boolean bytes,
      CostModel costs,
      Timeline timeline,
      Duration patience,
      @Nullable CallRecorder recorder,
      Consumer<DriverFunction> guard,
      AddressSpace space,
      Checker checker) {
    this.seed = seed;
    this.guard = guard;
    this.space = space;
    this.timeline = timeline;
    this.heldWork = new HeldWork(lock, timeline, functions, patience);
    this.bytes = bytes;
    this.costs = costs;
    this.faults = new ActiveFaults(seed, budgets, this);
    this.checker = checker;
    this.openHandles = new OpenHandles(checker);
    this.recording = new CallRecording(lock, checker, recorder);
  }

  /** Answers a query of the host. The caller holds the lock. */
  boolean ask(Point point) {
    return closed || timeline.ask(point);
  }

  /**
   * Runs what a point needs, unless something holds it; returns whether it is reached. The caller
   * holds the lock.
   */
  boolean runUntilReached(Point point) {
    boolean reached = timeline.reach(point);
    while (!reached && timeline.proceed()) {
      reached = timeline.reach(point);
    }
    return reached;
  }

  /**
   * Lets the host wait for a point. What work has thrown is thrown by {@link #rethrow}, once the
   * host has learnt that the work is done. The caller holds the lock.
   */
  void reach(Point point, DriverFunction call, Object waitedFor) {
    while (!closed && !timeline.reach(point) && !heldWork.isReachedInTime(point)) {
      if (!functions.interleave(waits(waitedFor))) {
        throw stuck(call, waitedFor, point.holder());
      }
    }
    StickyError failed = lost;
    if (failed != null && !closed) {
      // Work that the host has waited for has failed.
      throw failed.consequence(call);
    }
  }

  // ---- the code of queued work ----

  /**
   * Wraps work, so that it can run at any time. Bodies of kernels are user code: the host's next
   * wait, or the end of the simulator, throws what they throw.
   */
  Runnable work(String name, Runnable body) {
    return () ->
        during(
            name,
            () -> {
              try {
                body.run();
              } catch (Throwable e) { // Kotlin's functions throw what they like
                failed(e);
              }
              return true;
            });
  }

  /** Runs code as work of a name on the calling thread, which need not hold the lock. */
  boolean during(String name, BooleanSupplier body) {
    running.set(name);
    try {
      return body.getAsBoolean();
    } finally {
      running.remove();
    }
  }

  void failed(@Nullable Throwable failure) {
    if (thrown == null) {
      thrown = failure;
    } else if (failure != null) {
      Batch.suppress(thrown, failure);
    }
  }

  boolean isWorkRunning() {
    return running.get() != null;
  }

  /**
   * Throws what work has thrown, once; a checked exception becomes a cause. The caller holds the
   * lock.
   */
  void rethrow() {
    Throwable failure = thrown;
    thrown = null;
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
    if (failure != null) {
      throw new CompletionException(failure);
    }
  }

  private static String waits(Object waitedFor) {
    return "host thread %s waits for %s".formatted(Thread.currentThread().getName(), waitedFor);
  }

  private FatalDeviceException stuck(DriverFunction call, Object waitedFor, Point holder) {
    Operation hanging = heldWork.hangingAt(holder);
    String cycle = waits(waitedFor) + ", which waits for " + heldWork.holderWords(holder);
    if (hanging == null) {
      checker.apiErrors.deadlock(cycle, heldWork.remedy(holder));
    }
    DriverStatus status = Fault.TIMEOUT.status(call.getFunctionName());
    if (hanging == null) {
      lose(new StickyError(status, cycle, false));
    } else {
      StickyError hang = new StickyError(status, hanging + ", which hangs", false);
      lostDevices.putIfAbsent(hanging.device(), hang);
      checker.reports.mute(hanging.device());
    }
    return new FatalDeviceException(cycle, status);
  }

  /**
   * Queues work of a stream, which a fault plan may delay. Returns the new end of the stream. The
   * caller holds the lock.
   */
  Point submit(
      Lane lane,
      Point tail,
      long stream,
      long bytes,
      long nanos,
      @Nullable Runnable effect,
      Operation operation) {
    if (faults.isIdle()) {
      return timeline.submit(lane, tail, nanos, effect, false);
    }
    Origin origin = new Origin(operation.device(), stream, bytes);
    PlannedFault planned = faults.next(origin, timeline.now());
    long duration = planned.duration(nanos);
    recording.noteWorkFault(Math.max(0, duration - nanos), planned.hangs());
    Point point = timeline.submit(lane, tail, duration, effect, planned.hangs());
    if (planned.hangs()) {
      heldWork.hang(point, operation);
    }
    return point;
  }

  /**
   * Returns the seed of a launch's blocks and warps: 0, their natural order, on the timed schedule,
   * else one that depends on the run. The caller holds the lock.
   */
  long launchSeed() {
    return timeline.isTimed() ? 0 : seed * 31 + callNumber;
  }

  /**
   * Returns a number for an object without a device: a gate or a hand-off. The caller holds the
   * lock.
   */
  long newNumber() {
    return ++numbers;
  }

  @Override
  public boolean hasStream(int device, long handle) {
    return lock.locked(() -> openHandles.hasStream(device, handle));
  }

  @Override
  public void hangsEnded() {
    recording.perform("end-hangs", step -> {}, heldWork::endHangs);
  }

  /**
   * Notes that another process has taken memory by plan, or has returned it. The caller holds the
   * lock.
   */
  @Override
  public void occupied(int device, long bytes) {
    recording.note(
        bytes > 0 ? "occupy" : "vacate", step -> step.device(device).value(Math.abs(bytes)));
  }

  /** Returns a hash of the calls, their order and their times. */
  long traceHash() {
    return traceHash ^ timeline.hash();
  }

  /**
   * Makes a call to the driver: counts it, adds its cost, and makes it fail if that is planned. The
   * caller holds the lock.
   */
  void call(DriverFunction function, int device, long size) {
    call(function, device, Origin.NO_STREAM, size);
  }

  /**
   * Like {@link #call(DriverFunction, int, long)}, for a call that asks for memory; one that asks
   * for more than {@code free} bytes costs as little as one that asks for none.
   */
  void callForMemory(DriverFunction function, int device, long size, long free) {
    callForMemory(function, device, Origin.NO_STREAM, size, free);
  }

  void callForMemory(DriverFunction function, int device, long stream, long size, long free) {
    long counted = size > free ? 0 : size;
    call(function, device, stream, size, costs.getNanos(function, counted, timeline.isBusy()));
  }

  /** Makes a call that concerns a stream, by its handle. */
  void call(DriverFunction function, int device, long stream, long size) {
    call(function, device, stream, size, costs.getNanos(function, size, timeline.isBusy()));
  }

  void callOnRange(DriverFunction function, int device, long size, long[] mappings) {
    call(
        function,
        device,
        Origin.NO_STREAM,
        size,
        costs.getRangeNanos(function, mappings, timeline.isBusy()));
  }

  /** Adds to the cost of the latest call, once it is known what that has done. */
  void costsMore(long nanos) {
    if (nanos > 0) {
      calls.addToLatest(nanos);
      timeline.advanceTo(Point.after(timeline.now(), nanos));
    }
  }

  private void call(DriverFunction function, int device, long stream, long size, long cost) {
    String caller = running.get();
    if (caller != null) {
      throw notPermitted(function, caller);
    }
    if (closed && function.isReturn()) {
      // The handle was lost with the driver.
      return;
    }
    requireOpen();
    StickyError sticky = lostDevices.isEmpty() || lost != null ? lost : lostDevices.get(device);
    if (sticky != null && function.isReturn()) {
      // The handle was lost with the device.
      return;
    }
    requireSafe(function);
    timeline.step();
    long number = ++callNumber;
    long now = timeline.now();
    boolean planned = !faults.isIdle();
    Fault fault =
        planned && sticky == null
            ? faults.next(function, number, new Origin(device, stream, size), now)
            : null;
    boolean fails = fault != null || sticky != null;
    calls.record(new DriverCall(number, function, size, now, cost, fails, sticky != null));
    traceHash =
        (traceHash ^ (function.getFunctionName().hashCode() * 31L + size)) * 1099511628211L + now;
    timeline.advanceTo(Point.after(now, cost));
    if (planned) {
      faults.advanceTo(timeline.now());
    }
    if (sticky != null) {
      FatalDeviceException consequence = sticky.consequence(function);
      throw sticky.planned ? recording.noteFailure(consequence) : consequence;
    }
    if (fault != null) {
      if (Fault.JVM_OUT_OF_MEMORY.equals(fault)) {
        throw new OutOfMemoryError(
            "planned for call " + number + ", " + function.getFunctionName());
      }
      throw recording.noteFailure(failure(function, number, size, fault));
    }
  }

  /**
   * Refuses a call that a capture of the calling thread does not allow. The driver does so before
   * it looks at the arguments.
   */
  void requireSafe(DriverFunction function) {
    if (function.isUnsafeInCapture()) {
      guard.accept(function);
    }
  }

  /**
   * Releases a handle, by a driver call unless the handle was lost with the devices. The caller
   * holds the lock.
   */
  void releaseHandle(LeakKind kind, int device, long handle, DriverFunction function, long size) {
    openHandles.remove(kind, handle);
    if (!isLost(device)) {
      call(function, device, size);
    }
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Ends the driver: calls are refused from now on. Handles can still be released, without a call;
   * waits return at once.
   */
  void close() {
    closed = true;
  }

  /** Refuses a call after the close. The caller holds the lock. */
  void requireOpen() {
    if (closed) {
      throw new ClosedException(
          "the simulator",
          "only its figures and reports can still be read",
          "use it before closing it, or build a new one");
    }
  }

  private DriverException notPermitted(DriverFunction function, String caller) {
    checker.apiErrors.notPermitted(function.getFunctionName(), caller);
    return new DriverException(
        caller
            + " called the driver, which waits for this work; let a thread of the host make"
            + " the call instead",
        Fault.NOT_PERMITTED.status(function.getFunctionName()));
  }

  private RuntimeException failure(DriverFunction function, long number, long size, Fault fault) {
    DriverStatus status = fault.status(function.getFunctionName());
    if (fault.isFatal()) {
      lose(new StickyError(status, "call " + number + ", " + status, true));
      return new FatalDeviceException(
          "the process's CUDA context is lost; start a new process", status);
    }
    return switch (fault.code()) {
      case DriverStatus.OUT_OF_MEMORY -> new DeviceOutOfMemoryException(size, status);
      case DriverStatus.INVALID_VALUE ->
          new InvalidArgumentException("the driver refused an argument", status);
      case DriverStatus.NOT_SUPPORTED ->
          new NotSupportedException("the driver does not support the call", status);
      default -> new DriverException("the driver refused the call", status);
    };
  }

  /** Loses the devices, because work has failed while it ran. */
  void lose(Fault fault, DriverFunction function, Operation operation) {
    lose(new StickyError(fault.status(function.getFunctionName()), operation.toString(), false));
  }

  /** Refuses sizes of 0 and less, before any driver call. */
  static void requirePositive(long bytes) {
    if (bytes <= 0) {
      throw new InvalidArgumentException(
          "cannot allocate " + bytes + " bytes; the size must be positive");
    }
  }

  /** Moves the managed pages of a range to a device; other memory stays where it is. */
  void moveManaged(int device, long address, long bytes) {
    if (!managed.isEmpty()) {
      Region region = space.containing(address);
      ManagedPages pages = region == null ? null : managed.get(region.start());
      if (pages != null) {
        pages.touch(device, address, bytes);
      }
    }
  }

  /**
   * Marks the devices as lost. Only the first loss counts; later errors are its consequences and
   * are not reported.
   */
  private void lose(StickyError loss) {
    if (lost == null) {
      lost = loss;
      checker.reports.mute();
    }
  }

  boolean isLost() {
    return lost != null;
  }

  boolean isLost(int device) {
    return isLost() || lostDevices.containsKey(device);
  }

  DeviceOutOfMemoryException outOfMemory(DriverFunction function, long size) {
    return new DeviceOutOfMemoryException(
        size, Fault.OUT_OF_MEMORY.status(function.getFunctionName()));
  }

  NotSupportedException notSupported(DriverFunction function, String message) {
    return new NotSupportedException(
        message,
        new DriverStatus(
            DriverStatus.NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", function.getFunctionName()));
  }

  InvalidArgumentException invalid(DriverFunction function, String message) {
    return new InvalidArgumentException(
        message,
        new DriverStatus(
            DriverStatus.INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", function.getFunctionName()));
  }

  /** The error after which the process has no devices; every later call repeats it. */
  private static final class StickyError {
    private final String since;
    private final boolean planned;
    private DriverStatus status;
    private boolean observed;

    /**
     * Creates an error.
     *
     * @param since the operation or call that caused it
     * @param planned whether a call has failed by plan
     */
    private StickyError(DriverStatus status, String since, boolean planned) {
      this.status = status;
      this.since = since;
      this.planned = planned;
      this.observed = planned;
    }

    /** Returns the exception of a later call; the status is that of the call that failed first. */
    FatalDeviceException consequence(DriverFunction function) {
      if (!observed) {
        observed = true;
        status = new DriverStatus(status.code(), status.name(), function.getFunctionName());
      }
      return new FatalDeviceException(
          "the process's CUDA context is lost since " + since + "; start a new process", status);
    }
  }
}
