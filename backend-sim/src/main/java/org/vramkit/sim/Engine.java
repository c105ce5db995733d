package org.vramkit.sim;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
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
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.memory.AddressSpace;

/**
 * The driver beneath all devices of one backend: the host's virtual time, the calls, what work does
 * to bytes and when, and who holds what.
 *
 * <h2>Virtual time</h2>
 *
 * The host's clock moves by what each call costs, and by waiting. When a piece of work is submitted
 * everything that it waits for has been submitted before, so its start and end are known at once:
 * no thread runs behind. What it does to bytes is kept until the host's clock passes its end, and
 * then done in the order of ends: so work that is not ordered really meets wrong bytes.
 *
 * <h2>Lock</h2>
 *
 * One lock for everything, because this is a simulator: its order of calls is the order of events.
 */
final class Engine {
  /** What work does to bytes, and when. */
  private record Effect(long end, long number, Runnable work) {
    static final Comparator<Effect> IN_TIME =
        Comparator.comparingLong(Effect::end).thenComparingLong(Effect::number);
  }

  /** Kinds and handles of what is held. */
  private record Held(LeakKind kind, long handle) {}

  final ReentrantLock lock = new ReentrantLock();
  final AddressSpace space = new AddressSpace();
  final CallRecorder calls = new CallRecorder();
  final FaultScript faults;
  final CostModel costs;
  final boolean bytes;
  final long seed;
  final Checker checker;
  final StreamClock host;

  private final PriorityQueue<Effect> effects = new PriorityQueue<>(Effect.IN_TIME);
  private final Map<Held, Leak> held = new LinkedHashMap<>();
  private long now;
  private long callNumber;
  private long effectNumber;
  private long traceHash = 1469598103934665603L;
  private @Nullable DriverStatus lost;

  Engine(long seed, boolean bytes, CostModel costs, CheckerFactory checkerFactory) {
    this.seed = seed;
    this.bytes = bytes;
    this.costs = costs;
    this.faults = new FaultScript(seed);
    this.checker = checkerFactory.create(space);
    this.host = checker.newStream("host");
  }

  /** Makes the checker over the engine's addresses. */
  @FunctionalInterface
  interface CheckerFactory {
    Checker create(AddressSpace space);
  }

  long now() {
    return now;
  }

  /** A number that differs whenever anything that was done differs. */
  long traceHash() {
    return traceHash;
  }

  /** Moves the host's clock to a time that is not before now, and does what ends until then. */
  void advanceTo(long time) {
    now = Math.max(now, time);
    while (!effects.isEmpty() && effects.peek().end() <= now) {
      effects.poll().work().run();
    }
  }

  /** Keeps what work does to bytes until its end. */
  void schedule(long end, Runnable work) {
    if (bytes) {
      effects.add(new Effect(end, effectNumber++, work));
    }
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
    long number = ++callNumber;
    Fault fault = lost == null ? faults.next(function, number) : null;
    boolean fails = fault != null || lost != null;
    calls.record(new DriverCall(number, function, size, now, cost, fails));
    traceHash =
        (traceHash ^ (function.getFunctionName().hashCode() * 31L + size)) * 1099511628211L + now;
    advanceTo(now + cost);
    if (lost != null) {
      throw new FatalDeviceException(
          "the process's CUDA is lost since " + lost + "; start a new process",
          new DriverStatus(lost.code(), lost.name(), function.getFunctionName()));
    }
    if (fault != null) {
      throw failure(function, size, fault);
    }
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
    if (lost == null) {
      lost = new DriverStatus(Fault.FATAL.code(), Fault.FATAL.name(), function.getFunctionName());
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
