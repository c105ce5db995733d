package org.vramkit.sim.check;

import java.util.List;
import org.vramkit.sim.hazard.AccessKind;

/** Numbers operations in the order of the calls, and says of each what comes before it. */
final class Operations {
  private final HostThreads hosts;
  private final long maxStacks;
  private long latest;
  private long stacks;

  /** So many operations from the start know where they were submitted. */
  Operations(HostThreads hosts, long maxStacks) {
    this.hosts = hosts;
    this.maxStacks = maxStacks;
  }

  /** A number for something that is no operation, such as a record of an event. */
  long nextNumber() {
    return ++latest;
  }

  /** A submission to a stream, which comes after all that the calling thread knows. */
  Operation submit(String name, StreamClock stream) {
    stream.join(hosts.current().known);
    return new Operation(++latest, name, null, stream, stream.nextEpoch(), stack());
  }

  /** Work that does not run yet, and comes after nothing. */
  Operation captured(String name, StreamClock stream) {
    return new Operation(++latest, name, null, stream, stream.getEpoch(), stack());
  }

  /** A point of a stream that is no work of its own. */
  Operation point(String name, AccessKind kind, StreamClock stream) {
    stream.join(hosts.current().known);
    return new Operation(++latest, name, kind, stream, stream.getEpoch(), stack());
  }

  /**
   * An allocation or a free of the driver's in stream order. It has a number of its own on the
   * stream, unlike other points: who knows what came before it does not know of it. Those of pools
   * enter the history of accesses, where one that nobody used must not stand for work that is left.
   */
  Operation ofDriver(String name, AccessKind kind, StreamClock stream) {
    stream.join(hosts.current().known);
    return new Operation(++latest, name, kind, stream, stream.nextEpoch(), stack());
  }

  Operation hostPoint(String name, AccessKind kind) {
    StreamClock own = hosts.own();
    return new Operation(++latest, name, kind, own, own.getEpoch(), stack());
  }

  /** What the host did some time ago, without a call: where it did so, nobody knows any more. */
  Operation noticed(String name, AccessKind kind) {
    StreamClock own = hosts.own();
    return new Operation(++latest, name, kind, own, own.getEpoch(), List.of());
  }

  /** What the calling thread does to memory itself. */
  Operation byHost(String name, AccessKind kind) {
    HostThread caller = hosts.current();
    Operation at = caller.function;
    if (at != null) {
      return new Operation(++latest, name, kind, at.stream, at.epoch(), stack()).inside(caller, at);
    }
    StreamClock own = hosts.own();
    Operation operation = new Operation(++latest, name, kind, own, own.nextEpoch(), stack());
    hosts.did(operation);
    return operation;
  }

  /**
   * Where the caller is, outside the simulator; empty if no more stacks are kept. The price of one
   * is that of all methods on it, so a long program has them only for its beginning.
   */
  List<StackTraceElement> stack() {
    return ++stacks > maxStacks ? List.of() : Stacks.ofCaller();
  }

  /** How many stacks were asked for and not noted. */
  long getStacksLeftOut() {
    return Math.max(0, stacks - maxStacks);
  }
}
