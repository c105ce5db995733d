package org.vramkit.sim.check;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.AccessChecker.Peers;
import org.vramkit.sim.check.Operation.Factory;
import org.vramkit.sim.check.ShadowMemory.OpenOrder;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.RunId;
import org.vramkit.sim.hazard.Strictness;
import org.vramkit.sim.hazard.UnwrittenReadPolicy;
import org.vramkit.sim.memory.AddressSpace;

/**
 * Judges every access by the order that the API's rules guarantee, not by what went well in this
 * run.
 *
 * <h2>Order</h2>
 *
 * Each stream and each thread of the host has a vector clock. A submission takes over what its
 * thread knows; a wait takes over what an event's mark knew; a synchronisation, or a question
 * answered with yes, teaches the thread; {@link HostThreads} tells how threads learn from each
 * other. An access is in order if every earlier access in conflict is known to the stream by then.
 *
 * <h2>One rule for reuse</h2>
 *
 * Allocating is a virtual write on the allocating stream, freeing a virtual write on the freeing
 * stream and a virtual read on every recorded one. Histories are kept by byte range and survive
 * free, so early reuse, a missing recorded use and a free under work are all races of these.
 *
 * <h2>Memory that goes away</h2>
 *
 * Unmapping or freeing by the host is right only when the host knows all accesses to be done; then
 * their history is dropped, so that a page that appears elsewhere starts clean.
 *
 * <p>Where an order is missing, it is assumed after the report, so that one fault gives one report.
 * Not safe for threads: the backend's lock guards it.
 */
public final class Checker {
  public final CheckerOptions options;

  /** True if a kernel may be launched only where its device is current. */
  public final boolean requiresContext;

  public final AccessChecker work;
  public final DriverMemory memory;
  public final PoolBlocks blocks;
  public final PinnedAccesses pinned;
  public final GraphMemory graphs;

  /** What threads of the host know to be done, and hand over to each other. */
  public final HostThreads hosts;

  /** Where records, waits and synchronisations are told, to be named in reports. */
  public final SyncLog syncs;

  public final Reports reports;
  public final ApiErrors apiErrors;

  private final Clocks clocks = new Clocks();
  private final OpenOrder undecided = new OpenOrder();
  private final ShadowMemory history;
  private final Factory operations;
  private final UnwrittenReads unwritten;
  private final PinnedContents contents;
  private final ClosedBuffers closedBuffers;

  public Checker(CheckerOptions options, AddressSpace space, Peers peers, RunId run) {
    boolean enabled = options.enabled();
    Owners owners = new Owners();
    this.options = options;
    this.requiresContext = options.requireContext();
    this.hosts = new HostThreads(options.strictness(), clocks);
    this.history = new ShadowMemory(hosts::common, undecided, options.maxHistory());
    this.operations = new Factory(hosts, options.stacks() ? options.maxStacks() : 0);
    this.syncs = new SyncLog(operations, hosts);
    this.reports = new Reports(options.maxReports(), run, syncs);
    this.apiErrors = new ApiErrors(options, operations, syncs, reports);
    this.unwritten =
        new UnwrittenReads(
            enabled ? options.unwrittenReads() : UnwrittenReadPolicy.IGNORE,
            options.maxHistory(),
            owners,
            reports);
    OrderRule order = new OrderRule(history, hosts, reports);
    MemoryRules shared =
        new MemoryRules(enabled, operations, hosts, history, owners, unwritten, order, reports);
    this.work =
        new AccessChecker(shared, space, peers, options.strictness() != Strictness.PEDANTIC);
    this.memory = new DriverMemory(shared, clocks);
    this.blocks = new PoolBlocks(shared);
    this.graphs = new GraphMemory(shared);
    this.contents = new PinnedContents(hosts.all, reports, this::noticedWrite);
    this.closedBuffers = new ClosedBuffers(reports, this::noticedWrite);
    this.pinned = new PinnedAccesses(shared, contents, closedBuffers);
  }

  private Operation noticedWrite() {
    return operations.noticed("write through a view", AccessKind.WRITE);
  }

  public StreamClock newStream(String name, int device) {
    return clocks.create(name, device, hosts.current().known);
  }

  public void closed(StreamClock stream) {
    clocks.retire(stream);
  }

  /** Returns whether some thread of the host, or a pool, knows all of a stream to be done. */
  public boolean isKnown(StreamClock stream) {
    return stream.isBefore(hosts.allAndPools());
  }

  /** Returns whether some thread of the program knows all before a point to be done. */
  public boolean isKnownToProgram(Snapshot point) {
    return point.isBefore(hosts.all);
  }

  /** Returns whether the calling thread is inside a pool. */
  public boolean isInPool() {
    return hosts.isInPool();
  }

  /** A stream's next operation comes after a point; made so by a pool, for pools alone. */
  public void orderAfter(StreamClock stream, Snapshot point) {
    if (isInPool()) {
      stream.joinForPools(point);
    } else {
      stream.join(point);
    }
  }

  /** The calling thread knows what came before a point to be done. */
  public void hostKnows(Snapshot snapshot) {
    hosts.learn(snapshot);
    contents.learnt();
  }

  /** The calling thread knows that to be done which was kept of streams that are closed. */
  public void hostKnows(HostClock done) {
    hosts.receive(done);
    contents.learnt();
  }

  /** The next point of a stream comes after all that the calling thread knows. */
  public void follow(StreamClock stream) {
    stream.join(hosts.current().known);
  }

  public List<HazardReport> getHazards() {
    closedBuffers.look();
    return reports.getHazards();
  }

  public long getCount() {
    closedBuffers.look();
    return reports.getCount();
  }

  /** How many byte ranges are remembered, with what was done to them or was not. */
  public int getHistorySize() {
    return history.size() + unwritten.size();
  }

  /** How many clocks there are, of streams and of host threads that touch memory themselves. */
  public int getClocks() {
    return clocks.size();
  }

  /** What a stream does next waits for a gate. */
  public void waits(StreamClock stream, GateOrder gate) {
    stream.join(hosts.current().known);
    stream.pass(gate);
    undecided.add(gate);
  }

  public void opens(GateOrder gate) {
    undecided.remove(gate);
    gate.open(hosts.current().known);
  }

  /** A host function is queued on a stream. */
  public FunctionPoint submitFunction(String name, StreamClock stream) {
    follow(stream);
    Snapshot before = stream.snapshot();
    FunctionPoint function = new FunctionPoint(operations.submit(name, stream), before);
    if (options.enabled()) {
      undecided.add(function);
    }
    return function;
  }

  /** A host function begins; the bystander is the thread in whose pool's wait it does. */
  public void functionBegins(FunctionPoint function, @Nullable Thread poolWaiter) {
    function.learnBefore();
    hosts.begins(function.before(), poolWaiter);
    contents.functionBegins(function);
  }

  public void enter(FunctionPoint function) {
    hosts.enter(function.thread());
  }

  public void functionEnds(FunctionPoint function, @Nullable Thread poolWaiter) {
    Operation by = function.by();
    hosts.leave(function.thread());
    hosts.publishToOthers(clock -> clock.join(by.slot(), by.epoch()), poolWaiter);
    contents.functionEnds(function);
    undecided.remove(function);
  }

  /** How many operations have no stack because enough others had; 0 unless stacks are kept. */
  public long getStacksLeftOut() {
    return options.stacks() ? operations.getStacksLeftOut() : 0;
  }

  /** Where the caller is, outside the simulator; empty unless stacks are kept. */
  public List<StackTraceElement> stack() {
    return operations.stack();
  }
}
