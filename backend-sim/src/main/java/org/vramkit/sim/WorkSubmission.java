package org.vramkit.sim;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.WorkAccesses.Copy;
import org.vramkit.sim.WorkAccesses.Range;
import org.vramkit.sim.check.GraphMemory;
import org.vramkit.sim.check.GraphNode;
import org.vramkit.sim.check.Operation;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.timeline.Point;

/**
 * The submission of fills, copies and kernels that declare their accesses to one stream, or to a
 * capture of it: what the driver refuses at the call, the order that it keeps between devices, and
 * what the work does when it runs. Guarded by the backend's lock.
 */
final class WorkSubmission {
  /**
   * A piece of work; {@code nanos} is -1 if its bytes determine the duration, {@code effect} null
   * if it changes none.
   */
  record Work(
      DriverFunction function,
      String name,
      WorkAccesses accesses,
      long nanos,
      @Nullable Runnable effect) {
    boolean isKernel() {
      return function == DriverFunction.LAUNCH_KERNEL;
    }

    private boolean runsAsKernel() {
      return isKernel() || accesses.runsAsKernel();
    }
  }

  private final DeviceCore core;
  private final Engine engine;
  private final StreamQueue queue;

  /** Memory bandwidth of the device in bytes per second; 0 for no limit. */
  private final double bandwidth;

  private final boolean checked;

  WorkSubmission(DeviceCore core, StreamQueue queue, double bandwidth) {
    this.core = core;
    this.engine = core.engine;
    this.queue = queue;
    this.bandwidth = bandwidth;
    this.checked = engine.checker.options.enabled();
  }

  /** Submits work whose driver call was made, to the stream or to a capture of it. */
  void submit(Work work, @Nullable Capture capture) {
    if (capture != null) {
      capture(capture, work);
      return;
    }
    boolean copies = work.accesses.isCopy();
    require(work, range -> RangeRefusals.reason(core, range, copies));
    queue.followDefaultStream();
    if (queue.isDefault() && copies) {
      followOtherDevices(work);
    }
    Operation operation = engine.checker.work.submit(work.name, queue.clock);
    run(queue, queue.handle, operation, work.name, work, peers(work), work.isKernel());
  }

  /**
   * Returns the other devices whose plain memory the work accesses as that of peers. A copy needs
   * no access that it does not have, because it is staged then.
   */
  private Set<Integer> peers(Work work) {
    if (core.all.size() == 1) {
      return Set.of();
    }
    Set<Integer> peers = new HashSet<>();
    boolean staged = work.accesses.isCopy();
    for (Range range : work.accesses.ranges()) {
      Region region = engine.space.containing(range.address());
      if (region != null
          && isForeign(region)
          && RangeRefusals.isOpenedByPeerAccess(region)
          && (!staged || core.peers.contains(region.device()))) {
        peers.add(region.device());
      }
    }
    return peers;
  }

  /**
   * Lets a copy on the default stream start after the default and blocking streams of the other
   * device that it concerns, as the driver does.
   */
  private void followOtherDevices(Work work) {
    for (Range range : work.accesses.ranges()) {
      Region region = engine.space.containing(range.address());
      if (region != null && isForeign(region)) {
        core.all.get(region.device()).streams.startAfterDefault(queue);
      }
    }
  }

  /** Refuses ranges that the driver refuses; the checker reports what it finds there. */
  private void require(Work work, Function<Range, @Nullable String> refusal) {
    String reason = refusal(work, refusal);
    if (reason != null) {
      Operation refused = engine.checker.work.submit(work.name, queue.clock);
      work.accesses.check(engine.checker, refused, core.ordinal);
      throw engine.invalid(work.function, reason);
    }
  }

  private static @Nullable String refusal(Work work, Function<Range, @Nullable String> refusal) {
    for (Range range : work.accesses.ranges()) {
      String reason = refusal.apply(range);
      if (reason != null) {
        return "cannot %s: %s".formatted(work.name, reason);
      }
    }
    return null;
  }

  /**
   * Checks the accesses as far as possible in the capture; the launches of the graph check the
   * rest. The driver looks at the ranges of copies at the call, and at all when the graph is made.
   */
  private void capture(Capture capture, Work work) {
    boolean copies = work.accesses.isCopy();
    if (copies) {
      require(work, range -> RangeRefusals.reason(core, range, true));
    }
    capture.refusedIf(() -> refusal(work, range -> RangeRefusals.reason(core, range, copies)));
    Set<Integer> peers = peers(work);
    GraphNode node = new GraphNode();
    GraphMemory graphs = engine.checker.graphs;
    Operation captured = graphs.capture(work.name, queue.clock, node);
    work.accesses.check(engine.checker, captured, core.ordinal);
    int branch = capture.branch(queue).index;
    capture.add(
        queue,
        work.runsAsKernel(),
        launch -> {
          StreamQueue on = launch.queue(branch);
          String words = launch.nameOf(work.name);
          Operation operation = graphs.launch(words, on.clock, node);
          boolean asKernel = !copies && work.runsAsKernel();
          run(on, launch.queue(0).handle, operation, words, work, peers, asKernel);
        });
  }

  /** Queues work; {@code asKernel} tells whether illegal accesses fail as those of a kernel. */
  private void run(
      StreamQueue on,
      long stream,
      Operation operation,
      String words,
      Work work,
      Set<Integer> peers,
      boolean asKernel) {
    boolean legal = work.accesses.check(engine.checker, operation, core.ordinal);
    if (engine.bytes) {
      work.accesses.updateHostViews(engine.space, operation);
    }
    moveManaged(work);
    boolean fatal = !legal && engine.checker.options.fatalIllegalAccess();
    Runnable effect = engine.bytes ? work.effect : null;
    Runnable visible = null;
    if (fatal) {
      engine.checker.reports.mute();
      visible = () -> engine.lose(Fault.FATAL, work.function, operation);
    } else if (mayFail(work)) {
      visible = () -> runIfAccessible(work, operation, peers, asKernel, effect);
    } else if (effect != null) {
      visible = engine.work(words, effect);
    }
    on.setTail(
        engine.submit(
            on.lane, on.tail(), stream, work.accesses.bytes(), duration(work), visible, operation));
    includeInOwners(work, on, peers);
  }

  /** Moves the managed pages that the work accesses to the device. */
  private void moveManaged(Work work) {
    if (!engine.managed.isEmpty()) {
      work.accesses.eachRange(
          range -> engine.moveManaged(core.ordinal, range.address(), range.bytes()));
    }
  }

  /**
   * Returns whether work may access what is not there when it runs. Where the checker reports that
   * instead, only access that ends makes work fail.
   */
  private boolean mayFail(Work work) {
    if (work.isKernel()) {
      return !checked;
    }
    for (Range range : work.accesses.ranges()) {
      Region region = engine.space.containing(range.address());
      boolean mayEnd = region != null && (region.pages() != null || isForeign(region));
      if (mayEnd || !checked) {
        return true;
      }
    }
    return false;
  }

  private boolean isForeign(Region region) {
    return region.device() != core.ordinal && !region.kind().isShared();
  }

  /** Runs the effect of work, or loses the devices if its memory is not or no longer there. */
  private void runIfAccessible(
      Work work,
      Operation operation,
      Set<Integer> peers,
      boolean asKernel,
      @Nullable Runnable effect) {
    AtomicReference<@Nullable Fault> found = new AtomicReference<>();
    work.accesses.eachRange(
        range ->
            found.compareAndSet(
                null,
                asKernel
                    ? RangeRefusals.faultOfKernel(core, range)
                    : RangeRefusals.fault(core, range, peers)));
    Fault fault = found.get();
    if (fault != null) {
      engine.lose(fault, work.function, operation);
    } else if (effect != null) {
      engine.work(work.name, effect).run();
    }
  }

  /**
   * Lets calls that wait for another device include a copy from or to its memory without peer
   * access, which the driver stages on both devices, and its waits include a copy from its memory.
   */
  private void includeInOwners(Work work, StreamQueue on, Set<Integer> peers) {
    if (!work.accesses.isCopy() || core.all.size() == 1) {
      return;
    }
    for (Range range : work.accesses.ranges()) {
      Region region = engine.space.containing(range.address());
      if (region != null && isForeign(region)) {
        DeviceStreams owner = core.all.get(region.device()).streams;
        if (!peers.contains(region.device())) {
          owner.include(on);
        } else if (work.accesses instanceof Copy copy && range.address() == copy.source()) {
          owner.includeReader(on);
        }
      }
    }
  }

  private long duration(Work work) {
    return work.nanos >= 0
        ? work.nanos
        : Point.after(engine.costs.getKernelOverheadNanos(), transferNanos(work.accesses.bytes()));
  }

  private long transferNanos(long bytes) {
    return bandwidth == 0 ? 0 : (long) (bytes * 1e9 / bandwidth);
  }
}
