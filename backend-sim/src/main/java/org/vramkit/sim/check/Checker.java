package org.vramkit.sim.check;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.AccessChecker.Peers;
import org.vramkit.sim.check.ShadowMemory.OpenOrder;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.RunId;
import org.vramkit.sim.hazard.Strictness;
import org.vramkit.sim.hazard.UnwrittenReadPolicy;
import org.vramkit.sim.memory.AddressSpace;

/**
 * Checks every access against the order that the API guarantees. The order in which work happened
 * to run has no effect.
 *
 * <h2>Order</h2>
 *
 * Each stream and each host thread has a vector clock. A submission joins the clock of its thread,
 * a wait joins the clock of the event, and a synchronization or a positive query joins the thread's
 * clock with that of the stream. {@link HostThreads} describes how threads learn from each other.
 * An access is in order if its stream's clock covers every earlier conflicting access.
 *
 * <h2>One rule for reuse</h2>
 *
 * An allocation is a virtual write on the allocating stream. A free is a virtual write on the
 * freeing stream and a virtual read on every recorded one. Histories are kept by byte range and
 * survive a free, so early reuse, a missing recorded use and a free under work are all races of
 * these accesses.
 *
 * <h2>Memory that goes away</h2>
 *
 * The host may unmap or free memory only when it knows all accesses to be done. Their history is
 * dropped then, so that a page that is mapped elsewhere has no history.
 *
 * <p>After a report, the checker assumes the missing order, so that one fault gives one report. Not
 * thread-safe; the backend's lock guards the checker.
 */
public final class Checker {
  public final CheckerOptions options;

  /** True if a kernel may be launched only on a thread on which its device is current. */
  public final boolean requiresContext;

  public final AccessChecker work;
  public final KernelChecker kernels;
  public final DriverMemory memory;
  public final PoolBlocks blocks;
  public final PinnedAccesses pinned;
  public final HostWrites hostWrites;
  public final GraphMemory graphs;

  /** Knowledge of host threads about completed work. */
  public final HostThreads hosts;

  /** Log of records, waits and synchronizations, which reports name. */
  public final SyncLog syncs;

  public final Reports reports;
  public final ApiErrors apiErrors;

  private final Clocks clocks = new Clocks();
  private final OpenOrder undecided = new OpenOrder();
  private final ShadowMemory history;
  private final Operation.Factory operations;
  private final UnwrittenReads unwritten;

  public Checker(CheckerOptions options, AddressSpace space, Peers peers, RunId run) {
    boolean enabled = options.enabled();
    Owners owners = new Owners();
    this.options = options;
    this.requiresContext = options.requireContext();
    this.hosts = new HostThreads(options.strictness(), clocks);
    this.history = new ShadowMemory(hosts, undecided);
    this.operations = new Operation.Factory(hosts, options.stacks() ? options.maxStacks() : 0);
    this.syncs = new SyncLog(operations, hosts);
    this.reports = new Reports(options.maxReports(), run, syncs);
    this.apiErrors = new ApiErrors(options, operations, syncs, reports);
    this.unwritten =
        new UnwrittenReads(
            enabled ? options.unwrittenReads() : UnwrittenReadPolicy.IGNORE, owners, reports);
    OrderRule order = new OrderRule(history, hosts, reports);
    MemoryRules shared =
        new MemoryRules(enabled, operations, hosts, history, owners, unwritten, order, reports);
    this.work =
        new AccessChecker(shared, space, peers, options.strictness() != Strictness.PEDANTIC);
    this.kernels = new KernelChecker(shared, work);
    this.memory = new DriverMemory(shared, clocks);
    this.blocks = new PoolBlocks(shared);
    this.graphs = new GraphMemory(shared);
    this.hostWrites = new HostWrites(enabled, owners.host, hosts.all, reports, operations);
    this.pinned = new PinnedAccesses(shared, hostWrites);
  }

  public StreamClock newStream(String name, int device) {
    return clocks.create(name, device, hosts.current().known);
  }

  public void closed(StreamClock stream) {
    clocks.retire(stream);
  }

  /** Returns whether any host thread or pool knows that all work of a stream is done. */
  public boolean isKnown(StreamClock stream) {
    return stream.isBefore(hosts.allAndPools());
  }

  /** Returns whether any thread of the program knows that all work before a point is done. */
  public boolean isKnownToProgram(Snapshot point) {
    return point.isBefore(hosts.all);
  }

  /** Returns whether the calling thread is inside a pool. */
  public boolean isInPool() {
    return hosts.isInPool();
  }

  /**
   * Orders a stream's next operation after a point. Inside a pool, the order counts for pools
   * alone.
   */
  public void orderAfter(StreamClock stream, Snapshot point) {
    if (isInPool()) {
      stream.joinForPools(point);
    } else {
      stream.join(point);
    }
  }

  /** Records that the calling thread knows the work before a point to be done. */
  public void hostKnows(Snapshot snapshot) {
    hosts.learn(snapshot);
    hostWrites.learnt();
  }

  /** Records that the calling thread knows the work of closed streams to be done. */
  public void hostKnows(HostClock done) {
    hosts.receive(done);
    hostWrites.learnt();
  }

  /** Orders a stream's next operation after everything that the calling thread knows. */
  public void follow(StreamClock stream) {
    stream.join(hosts.current().known);
  }

  public List<HazardReport> getHazards() {
    hostWrites.compareClosed();
    return reports.getHazards();
  }

  public long getCount() {
    hostWrites.compareClosed();
    return reports.getCount();
  }

  /** Returns the number of byte ranges whose accesses are remembered. */
  public int getHistorySize() {
    return history.size() + unwritten.size();
  }

  /** Returns the number of slots in the clocks, one for each stream or host thread in use. */
  public int getClocks() {
    return clocks.size();
  }

  /** Makes a stream wait for a gate. */
  public void waits(StreamClock stream, GateOrder gate) {
    stream.join(hosts.current().known);
    stream.pass(gate);
    undecided.add(gate);
  }

  public void opens(GateOrder gate) {
    undecided.remove(gate);
    gate.open(hosts.current().known);
  }

  /** Queues a host function on a stream. */
  public FunctionPoint submitFunction(String name, StreamClock stream) {
    follow(stream);
    Snapshot before = stream.snapshot();
    FunctionPoint function = new FunctionPoint(operations.submit(name, stream), before);
    if (options.enabled()) {
      undecided.add(function);
    }
    return function;
  }

  /**
   * Records the begin of a host function. {@code poolWaiter} is the thread whose wait inside a pool
   * lets the function begin; null if there is none.
   */
  public void functionBegins(FunctionPoint function, @Nullable Thread poolWaiter) {
    function.learnBefore();
    hosts.begins(function.before(), poolWaiter);
    hostWrites.functionBegins(function);
  }

  /** Makes the calling thread count as the host thread of a function that has begun. */
  public void enter(FunctionPoint function) {
    hosts.enter(function.thread());
  }

  public void functionEnds(FunctionPoint function, @Nullable Thread poolWaiter) {
    Operation by = function.by();
    hosts.leave(function.thread());
    hosts.publishToOthers(clock -> clock.join(by.slot(), by.epoch()), poolWaiter);
    hostWrites.functionEnds(function);
    undecided.remove(function);
  }

  /**
   * Returns the number of operations without a stack because the limit was reached; 0 unless stacks
   * are kept.
   */
  public long getStacksLeftOut() {
    return options.stacks() ? operations.getStacksLeftOut() : 0;
  }

  /** Returns the caller's frames outside the simulator; empty unless stacks are kept. */
  public List<StackTraceElement> stack() {
    return operations.stack();
  }
}
