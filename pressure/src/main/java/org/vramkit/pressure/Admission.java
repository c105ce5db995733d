package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;

/**
 * Admits jobs to a device when enough memory is free for them, and keeps the others waiting in
 * line. Each job states the memory that it will hold, waits for its {@link Grant}, and allocates
 * through the grant. Safe for any thread; has no thread of its own.
 *
 * <p>Memory of other processes, and memory that is allocated without a grant, is not granted, nor
 * memory beyond the {@linkplain Allocator#getLimit limit} of the allocator. The driver and the
 * limit are queried when a demand would wait, when a grant ends while others wait, each second
 * while a thread waits, and otherwise at most a hundred times a second. A 32nd of the device's
 * memory is left free, because allocators round sizes up. A 32nd of the limit is granted only to a
 * job that runs alone.
 *
 * <p>If all jobs stay within their demands, a demand waits no longer than the running jobs and the
 * jobs before it in line would take one after the other. A demand of higher priority that arrives
 * later adds its own time. Later demands overtake an earlier one only if they leave room for it.
 */
public final class Admission implements AutoCloseable {
  private static final Parts<Admission, AdmissionStatistics> PARTS =
      new Parts<>(
          admission -> admission.allocator.getDevice(),
          Admission::getStatistics,
          "AdmissionStatistics",
          "Grants of an admission, and the line for them",
          AdmissionStatistics::getMetrics);

  /** One in {@value} bytes of the device, or of the limit, is left free. */
  private static final int SHARE = 32;

  /** Age up to which the figures of the driver are used again. */
  private static final long FRESH_NANOS = 10_000_000;

  /** Maximum number of kinds of jobs whose peaks are kept. */
  private static final int MOST_KEYS = 1024;

  /** How often a waiting thread looks for memory that others have freed without a grant. */
  private static final long LOOK_NANOS = 1_000_000_000;

  private final Allocator allocator;
  private final long margin;
  private final long part;

  /** The largest demand that the device and the builder's limit allow. */
  private final long mostOfDevice;

  /** Guards the fields below. Held while the driver is queried, never while a future completes. */
  final PartLock lock = new PartLock("an admission");

  private final AdmissionLine line = new AdmissionLine();

  private final Map<String, PeakHistory> histories =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, PeakHistory> eldest) {
          return size() > MOST_KEYS;
        }
      };

  /** Maximum sum of all grants in bytes that the device allows, by the last query of the driver. */
  private long reachable;

  private long measuredAt;
  private boolean measured;
  private boolean closed;

  private long admitted;
  private long waited;
  private long withdrawn;
  private long refused;
  private long waitNanos;
  private long longestWaitNanos;

  private Admission(Builder builder) {
    allocator = builder.allocator;
    long total = allocator.getDevice().getProperties().totalMemoryBytes();
    margin = total / SHARE;
    mostOfDevice = Math.min(builder.limit, total - margin);
    reachable = mostOfDevice;
    part = PARTS.show(this);
  }

  /**
   * Returns a builder of an admission to the memory of an allocator, which the caller still closes.
   */
  public static Builder over(Allocator allocator) {
    return new Builder(allocator);
  }

  /**
   * Waits until the demand is granted.
   *
   * @param timeout maximum time to wait; zero does not wait
   * @return the grant, for the caller to close when the job ends
   * @throws DeviceOutOfMemoryException if the demand is larger than the device or the limit, in
   *     which case it is thrown at once, or if the timeout expires
   * @throws ClosedException if this admission is closed, before the call or during the wait
   * @throws CancellationException if the thread is interrupted; the interrupt flag stays set
   */
  public Grant acquire(Demand demand, Duration timeout) {
    requireNonNull(demand, "demand");
    Timeouts.requireNotNegative(timeout);
    Demand sized = size(demand);
    Grant grant = lock.change(() -> admitAtOnce(sized));
    return grant != null ? grant : acquireInLine(sized, null, timeout);
  }

  private @Nullable Grant admitAtOnce(Demand sized) {
    requireServable(sized, null);
    measureUnlessFresh();
    if (!line.admitsAtOnce(sized.bytes(), capacity())) {
      return null;
    }
    Grant grant = new Grant(this, sized, allocator);
    line.open(grant);
    admitted++;
    return grant;
  }

  private Grant acquireInLine(Demand demand, @Nullable Grant growing, Duration timeout) {
    return lock.guard(() -> await(enqueue(demand, growing, /* blocks= */ true), timeout));
  }

  /**
   * Puts a demand into line without blocking a thread.
   *
   * @return a stage that completes with the grant, or with an exception of {@link #acquire}. It
   *     completes on the thread that ends another grant, so run the job on an executor. Cancel the
   *     stage, or let it time out, to leave the line
   */
  public CompletionStage<Grant> acquireAsync(Demand demand) {
    requireNonNull(demand, "demand");
    return orFailed(() -> enqueue(size(demand), null, /* blocks= */ false));
  }

  /** Returns the estimate for the next run of a kind of job, from its completed runs. */
  public DemandEstimate getEstimate(String key) {
    return lock.locked(() -> histories.getOrDefault(key, new PeakHistory()).describe(key));
  }

  /** Returns the current statistics. */
  public AdmissionStatistics getStatistics() {
    return lock.locked(this::readStatistics);
  }

  private AdmissionStatistics readStatistics() {
    List<DemandEstimate> estimates =
        histories.entrySet().stream().map(each -> each.getValue().describe(each.getKey())).toList();
    return new AdmissionStatistics(
        capacity(),
        line.getGrantedBytes(),
        line.getUsedBytes(),
        line.getRunning(),
        line.getWaiters().size(),
        line.getWaiters().stream().mapToLong(Waiter::bytes).sum(),
        admitted,
        waited,
        withdrawn,
        refused,
        waitNanos,
        longestWaitNanos,
        estimates);
  }

  /**
   * Rejects all waiting and later demands. Open grants stay valid until they are closed. Repeated
   * calls have no effect.
   */
  @Override
  public void close() {
    PARTS.hide(part);
    serving(
        left -> {
          closed = true;
          dismiss(waiter -> true, this::closedError, left);
        });
    if (lock.isBroken()) {
      lock.failStages();
    }
  }

  @Override
  public String toString() {
    return "admission over " + allocator;
  }

  void grow(Grant grant, long more, Duration timeout) {
    Timeouts.requireNotNegative(timeout);
    var unused = acquireInLine(growth(grant, more), grant, timeout);
  }

  CompletionStage<Grant> growAsync(Grant grant, long more) {
    Demand growth = growth(grant, more);
    return orFailed(() -> enqueue(growth, grant, /* blocks= */ false));
  }

  /** Returns the largest demand that can be granted now. */
  long getMost() {
    return Math.min(mostOfDevice, allocator.getLimit());
  }

  /** Ends a grant. Repeated calls have no effect. */
  void close(Grant grant) {
    serving(
        served -> {
          if (!grant.end()) {
            return;
          }
          learn(grant);
          line.end(grant);
          if (grant.growths > 0) {
            dismiss(waiter -> waiter.growing == grant, grant::closedError, served);
          }
          serveOthers(served);
        });
    if (lock.isBroken()) {
      var unused = grant.end();
    }
  }

  /**
   * Makes a change that serves or dismisses waiters, and tells these. A broken admission does not
   * change.
   */
  private void serving(Consumer<List<Waiter>> change) {
    lock.guard(
        () -> {
          List<Waiter> served = new ArrayList<>();
          lock.runIfIntact(() -> change.accept(served));
          deliver(served);
        });
  }

  /** Keeps the peak of a run for estimates, unless the run held no memory. */
  private void learn(Grant grant) {
    if (grant.getPeakBytes() > 0) {
      String key = grant.getDemand().key();
      histories.computeIfAbsent(key, any -> new PeakHistory()).add(grant.getPeakBytes());
    }
  }

  /** Returns the bytes that a job has freed after the end of its grant. */
  void settle(Grant grant) {
    serving(
        served -> {
          line.settle(grant);
          serveOthers(served);
        });
  }

  /** Puts a demand or a growth into line, and serves all waiters that can be served. */
  private Waiter enqueue(Demand demand, @Nullable Grant growing, boolean blocks) {
    Waiter waiter = new Waiter(demand, growing, blocks, System.nanoTime());
    List<Waiter> served = new ArrayList<>();
    lock.run(
        () -> {
          requireServable(demand, growing);
          measure();
          line.add(waiter);
          serve(served);
          waited -= waiter.granted == null ? 0 : 1;
        });
    if (!blocks) {
      // Not earlier: a refused demand has no stage.
      lock.watch(waiter.future);
    }
    if (served.remove(waiter)) {
      // The caller does not have the future yet, so this runs no callbacks.
      complete(waiter);
    }
    deliver(served);
    var unused = waiter.future.whenComplete((grant, error) -> withdrawIfIntact(waiter));
    return waiter;
  }

  /** A broken admission fails its stages itself, one after the other. */
  private void withdrawIfIntact(Waiter waiter) {
    if (!lock.isBroken()) {
      withdraw(waiter);
    }
  }

  /** Removes a waiter that was cancelled or timed out; returns false if it has left the line. */
  private boolean withdraw(Waiter waiter) {
    List<Waiter> served = new ArrayList<>();
    boolean left =
        lock.change(
            () -> {
              if (!line.remove(waiter)) {
                return false;
              }
              withdrawn++;
              serveOthers(served);
              return true;
            });
    deliver(served);
    return left;
  }

  /** Serves the waiters that fit, after a grant or a wait has ended. */
  private void serveOthers(List<Waiter> served) {
    if (line.getWaiters().isEmpty()) {
      return;
    }
    try {
      measure();
    } catch (GpuException | ClosedException e) {
      // Use the last figures: a close must not fail, and the next demand reports the error.
    }
    serve(served);
  }

  private void serve(List<Waiter> served) {
    long now = System.nanoTime();
    for (Waiter waiter : line.serve(capacity(), demand -> new Grant(this, demand, allocator))) {
      served.add(waiter);
      if (waiter.granted == null) {
        refused++;
        waiter.refused =
            outOfMemory(
                waiter.demand, "every open grant waits to grow, and this request came last");
        continue;
      }
      admitted += waiter.growing == null ? 1 : 0;
      waited++;
      waitNanos += now - waiter.since;
      longestWaitNanos = Math.max(longestWaitNanos, now - waiter.since);
    }
  }

  private void dismiss(
      Predicate<Waiter> whom, Supplier<RuntimeException> error, List<Waiter> dismissed) {
    for (Waiter waiter : List.copyOf(line.getWaiters())) {
      if (whom.test(waiter) && line.remove(waiter)) {
        waiter.refused = error.get();
        dismissed.add(waiter);
      }
    }
  }

  /** Wakes blocked threads first, then completes stages one after the other. */
  private void deliver(List<Waiter> served) {
    served.stream().filter(each -> each.blocks).forEach(this::complete);
    served.stream()
        .filter(each -> !each.blocks)
        .forEach(each -> Trampoline.run(() -> complete(each)));
  }

  /** Completes a waiter. If it was cancelled meanwhile, its grant or growth is undone. */
  private void complete(Waiter waiter) {
    Grant granted = waiter.granted;
    if (granted == null) {
      waiter.future.completeExceptionally(requireNonNull(waiter.refused));
    } else if (!waiter.future.complete(granted)) {
      if (waiter.growing == null) {
        granted.close();
      } else {
        shrink(granted, waiter.bytes());
      }
    }
  }

  /** Undoes a growth whose waiter was cancelled. */
  private void shrink(Grant grant, long bytes) {
    serving(
        served -> {
          if (!grant.isClosed()) {
            line.shrink(grant, bytes);
            serveOthers(served);
          }
        });
  }

  private Grant await(Waiter waiter, Duration timeout) {
    Trampoline.finish();
    long left = Timeouts.nanosOf(timeout);
    RetryTask task = waiter.future.isDone() ? null : RetryTasks.beginWait();
    try {
      while (left > LOOK_NANOS && !isDoneWithin(waiter, LOOK_NANOS)) {
        left -= LOOK_NANOS;
        look();
      }
      return waiter.future.get(left, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      if (withdraw(waiter)) {
        throw late(waiter.demand, timeout);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (withdraw(waiter)) {
        throw new CancellationException(
            "interrupted while the demand " + waiter.demand + " waited in line");
      }
    } catch (ExecutionException e) {
      // The waiter has the exception to throw.
    } finally {
      RetryTasks.endWait(task);
    }
    // The waiter was served, perhaps just before its timeout or interrupt.
    if (waiter.granted == null) {
      throw requireNonNull(waiter.refused);
    }
    return waiter.granted;
  }

  private static boolean isDoneWithin(Waiter waiter, long nanos)
      throws InterruptedException, ExecutionException {
    try {
      return waiter.future.get(nanos, TimeUnit.NANOSECONDS) != null;
    } catch (TimeoutException e) {
      return false;
    }
  }

  /** Serves the waiters for which others have freed memory, or the limit was raised. */
  private void look() {
    lock.requireIntact();
    serving(this::serveOthers);
  }

  /** Replaces the size of a learned demand by the estimate. */
  private Demand size(Demand demand) {
    if (!demand.learned()) {
      return demand;
    }
    return lock.change(
        () -> {
          PeakHistory history = histories.get(demand.key());
          long learned = history == null ? 0 : history.estimate();
          return learned == 0 ? demand : demand.withBytes(learned);
        });
  }

  private static Demand growth(Grant grant, long more) {
    if (more < 1) {
      throw new InvalidArgumentException(
          grant + " must grow by at least 1 byte, not " + more + "; it never shrinks");
    }
    return grant.getDemand().withBytes(more);
  }

  /** Rejects a demand that would not fit even if all other jobs ended. */
  private void requireServable(Demand demand, @Nullable Grant growing) {
    if (closed) {
      throw closedError();
    }
    if (growing != null) {
      growing.requireOpen();
    }
    long fits = Math.max(0, getMost() - (growing == null ? 0 : growing.getBytes()));
    if (demand.bytes() > fits) {
      refused++;
      throw outOfMemory(
          demand,
          "at most "
              + ByteSize.formatDown(fits)
              + " can be granted, even if no other job runs; demand less, or divide the job");
    }
  }

  private void measureUnlessFresh() {
    if (!measured || System.nanoTime() - measuredAt > FRESH_NANOS) {
      measure();
    }
  }

  /** Queries the driver for the memory that no one else holds. */
  private void measure() {
    long usedBefore = line.getUsedBytes();
    AllocatorStatistics figures = allocator.getStatistics();
    long free = allocator.getDevice().getMemoryInfo().freeBytes();
    long used = leastUsed(usedBefore);
    long live = figures.requested().current() - figures.suspendedBytes();
    long ungranted = Math.max(0, live - used);
    reachable = free + figures.reserved().current() - margin - ungranted;
    measuredAt = System.nanoTime();
    measured = true;
  }

  /** Returns the maximum sum of all grants in bytes, within the limit of this moment. */
  private long capacity() {
    long usedBefore = line.getUsedBytes();
    long available = allocator.getAvailableBytes();
    long limit = allocator.getLimit();
    long used = leastUsed(usedBefore);
    long limited = available > Long.MAX_VALUE - used ? available : available + used - limit / SHARE;
    return Math.max(0, Math.min(getMost(), Math.min(reachable, limited)));
  }

  /**
   * Returns the bytes of open grants in use at one of two moments. Jobs may allocate or free
   * between them; the smaller figure grants too little rather than too much.
   */
  private long leastUsed(long before) {
    return Math.min(before, line.getUsedBytes());
  }

  private DeviceOutOfMemoryException late(Demand demand, Duration timeout) {
    AdmissionStatistics now = getStatistics();
    return outOfMemory(
        demand,
        "timed out after "
            + timeout
            + "; "
            + Count.of(now.running(), "open grant")
            + " and memory of closed grants take "
            + ByteSize.format(now.grantedBytes())
            + " of "
            + ByteSize.format(now.capacityBytes())
            + ", with "
            + Count.of(now.waiting(), "other request")
            + " in line; close grants, or wait longer");
  }

  private static DeviceOutOfMemoryException outOfMemory(Demand demand, String why) {
    return new DeviceOutOfMemoryException(
        "no grant of "
            + ByteSize.formatExact(demand.bytes())
            + " for \""
            + demand.key()
            + "\": "
            + why,
        demand.bytes(),
        DriverStatus.NONE,
        null);
  }

  private ClosedException closedError() {
    return new ClosedException(this, "it admits no more jobs", "create a new one");
  }

  private CompletionStage<Grant> orFailed(Supplier<Waiter> entering) {
    try {
      return lock.guard(entering).future;
    } catch (GpuException | IllegalStateException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Builds an {@link Admission}. Not thread-safe. */
  public static final class Builder {
    private final Allocator allocator;
    private long limit = Long.MAX_VALUE;

    private Builder(Allocator allocator) {
      this.allocator = requireNonNull(allocator, "allocator");
    }

    /**
     * Limits the sum of all grants. The default is the memory of the device or, if lower, the limit
     * of the allocator.
     *
     * @param bytes the limit, at least 1
     * @throws InvalidArgumentException if {@code bytes} is less than 1
     */
    public Builder limit(long bytes) {
      if (bytes < 1) {
        throw new InvalidArgumentException("a limit must be at least 1 byte, not " + bytes);
      }
      limit = bytes;
      return this;
    }

    /** Creates an admission without grants. */
    public Admission build() {
      return new Admission(this);
    }
  }
}
