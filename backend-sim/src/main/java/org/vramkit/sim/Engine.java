package org.vramkit.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.sim.check.Checker;
import org.vramkit.sim.check.StreamClock;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.DriverCall;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.fault.FaultScript;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.memory.AddressSpace;
import org.vramkit.sim.memory.PhysicalBudget;
import org.vramkit.sim.timeline.Lane;
import org.vramkit.sim.timeline.Point;
import org.vramkit.sim.timeline.Timeline;

/**
 * The driver beneath all devices of one backend: the calls, what fails, and who holds what. When
 * work runs, and what the host's clock says, is the timeline's matter; no thread runs behind.
 *
 * <h2>Lock</h2>
 *
 * One lock for everything, because this is a simulator: its order of calls is the order of events.
 */
final class Engine {
  /** Kinds and handles of what is held. */
  private record Held(LeakKind kind, long handle) {}

  /** What a watchdog answers when work does not end. */
  private static final DriverStatus TIMEOUT =
      new DriverStatus(702, "CUDA_ERROR_LAUNCH_TIMEOUT", "cuStreamSynchronize");

  final ReentrantLock lock = new ReentrantLock();

  /** Held work was let go. */
  private final Condition released = lock.newCondition();

  final AddressSpace space = new AddressSpace();
  final CallRecorder calls = new CallRecorder();
  final List<PhysicalBudget> budgets = new ArrayList<>();
  final FaultScript faults;
  final CostModel costs;
  final boolean bytes;
  final long seed;
  final Checker checker;
  final StreamClock host;
  final Timeline timeline;
  final WorkEffects effects = new WorkEffects();

  /** Points are compared by identity. */
  private final Map<Point, SimGate> gates = new HashMap<>();

  private final Duration patience;
  private final Map<Held, Leak> held = new LinkedHashMap<>();
  private long callNumber;
  private long traceHash = 1469598103934665603L;
  private @Nullable DriverStatus lost;

  Engine(
      long seed,
      boolean bytes,
      CostModel costs,
      Timeline timeline,
      Duration patience,
      CheckerFactory checkerFactory) {
    this.seed = seed;
    this.timeline = timeline;
    this.patience = patience;
    this.bytes = bytes;
    this.costs = costs;
    this.faults = new FaultScript(seed, budgets);
    this.checker = checkerFactory.create(space);
    this.host = checker.newStream("host");
  }

  /** Makes the checker over the engine's addresses. */
  @FunctionalInterface
  interface CheckerFactory {
    Checker create(AddressSpace space);
  }

  /** Lets the host wait for a point; throws what work has thrown meanwhile. Locked. */
  void reach(Point point, Object waitedFor) {
    if (!timeline.reach(point)) {
      reachWhenReleased(point, waitedFor);
    }
    effects.rethrow();
  }

  /** Gives other threads time to let go what the point waits for. */
  private void reachWhenReleased(Point point, Object waitedFor) {
    long left = patience.toNanos();
    while (!timeline.reach(point)) {
      Point holder = timeline.holder(point);
      if (left <= 0) {
        throw stuck(waitedFor, holder);
      }
      try {
        left = released.awaitNanos(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw stuck(waitedFor, holder);
      }
    }
  }

  private FatalDeviceException stuck(Object waitedFor, Point holder) {
    SimGate gate = gates.get(holder);
    String cycle =
        String.format(
            Locale.ROOT,
            "host thread %s waits for %s, which waits for %s",
            Thread.currentThread().getName(),
            waitedFor,
            gate == null
                ? "work that hangs"
                : gate + ", which waits for the host to open it: nobody did");
    if (gate != null) {
      checker.deadlock(cycle);
    }
    lose(TIMEOUT);
    return new FatalDeviceException(cycle, TIMEOUT);
  }

  /** Queues nothing but a wait for a gate; the point to go on from. Locked. */
  Point hold(Lane lane, Point tail, SimGate gate) {
    Point point = timeline.submit(lane, tail, 0, null, true);
    gates.put(point, gate);
    gate.hold(point);
    return point;
  }

  /** Lets held work go on. Locked. */
  void release(Point held) {
    gates.remove(held);
    timeline.release(held);
    released.signalAll();
  }

  /** A number that differs whenever anything that was done differs. */
  long traceHash() {
    return traceHash ^ timeline.hash();
  }

  /** One call to the driver: counted, paid for, and made to fail where that is planned. Locked. */
  void call(DriverFunction function, long size) {
    call(function, size, costs.getNanos(function, size));
  }

  /** A call that costs as much as calls on each of the sizes. */
  void callOnEach(DriverFunction function, long size, LongStream sizes) {
    call(function, size, sizes.map(each -> costs.getNanos(function, each)).sum());
  }

  private void call(DriverFunction function, long size, long cost) {
    String running = effects.getRunning();
    if (running != null) {
      throw notPermitted(function, running);
    }
    timeline.step();
    long number = ++callNumber;
    long now = timeline.now();
    Fault fault = lost == null ? faults.next(function, number, now) : null;
    boolean fails = fault != null || lost != null;
    calls.record(new DriverCall(number, function, size, now, cost, fails));
    traceHash =
        (traceHash ^ (function.getFunctionName().hashCode() * 31L + size)) * 1099511628211L + now;
    timeline.advanceTo(now + cost);
    faults.advanceTo(timeline.now());
    if (lost != null) {
      throw new FatalDeviceException(
          "the process's CUDA is lost since " + lost + "; start a new process",
          new DriverStatus(lost.code(), lost.name(), function.getFunctionName()));
    }
    if (fault != null) {
      throw failure(function, size, fault);
    }
  }

  private DriverException notPermitted(DriverFunction function, String running) {
    checker.notPermitted(function.getFunctionName(), running);
    return new DriverException(
        running + " called the driver, which waits for it; let it hand over to the host instead",
        new DriverStatus(800, "CUDA_ERROR_NOT_PERMITTED", function.getFunctionName()));
  }

  private RuntimeException failure(DriverFunction function, long size, Fault fault) {
    DriverStatus status = new DriverStatus(fault.code(), fault.name(), function.getFunctionName());
    if (fault.isFatal()) {
      lost = status;
      return new FatalDeviceException("the process's CUDA is lost; start a new process", status);
    }
    return switch (fault.code()) {
      case DriverStatus.OUT_OF_MEMORY -> new DeviceOutOfMemoryException(size, status);
      case DriverStatus.INVALID_VALUE ->
          new InvalidArgumentException("the driver refused an argument", status);
      case DriverStatus.NOT_SUPPORTED -> new NotSupportedException("the driver lacks this", status);
      default -> new DriverException("the driver refused", status);
    };
  }

  /** Loses the process's devices, as work on an illegal address does. */
  void lose(DriverFunction function) {
    lose(new DriverStatus(Fault.FATAL.code(), Fault.FATAL.name(), function.getFunctionName()));
  }

  private void lose(DriverStatus status) {
    if (lost == null) {
      lost = status;
    }
  }

  boolean isLost() {
    return lost != null;
  }

  /** Too little memory for a call that was made. */
  DeviceOutOfMemoryException outOfMemory(DriverFunction function, long size) {
    return new DeviceOutOfMemoryException(
        size,
        new DriverStatus(
            DriverStatus.OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", function.getFunctionName()));
  }

  /** A bad argument of a call. */
  InvalidArgumentException invalid(DriverFunction function, String message) {
    return new InvalidArgumentException(
        message,
        new DriverStatus(
            DriverStatus.INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", function.getFunctionName()));
  }

  void hold(LeakKind kind, int device, long handle, long size) {
    held.put(new Held(kind, handle), new Leak(kind, device, handle, size, List.of()));
  }

  void letGo(LeakKind kind, long handle) {
    held.remove(new Held(kind, handle));
  }

  List<Leak> held() {
    return List.copyOf(held.values());
  }
}
