package org.vramkit.sim;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.StreamKind;
import org.vramkit.sim.check.OwnedBlock;

/**
 * A capture in progress: the work of its streams in the order of the calls, which is a valid order
 * to run it. Each stream is a branch; the first one is the stream on which the capture began.
 * Guarded by the backend's lock.
 */
final class Capture {
  static final class Branch {
    final int index;
    final StreamQueue stream;

    /** Number of captured pieces of work. */
    private int work;

    /** By branch: number of its pieces of work that come before the next work of this branch. */
    private final Map<Branch, Integer> known = new HashMap<>();

    Branch(int index, StreamQueue stream) {
      this.index = index;
      this.stream = stream;
    }

    private Map<Branch, Integer> snapshot() {
      Map<Branch, Integer> copy = new HashMap<>(known);
      copy.put(this, work);
      return copy;
    }
  }

  /** The point of a capture where an event was recorded. */
  record Mark(Capture capture, int index, Map<Branch, Integer> known) {}

  /** Which calls a capture in progress refuses; the modes of the driver. */
  enum Mode {
    /** Calls that are unsafe in a capture, on any thread. */
    GLOBAL,
    /** Those of the thread that captures. */
    THREAD_LOCAL,
    /** None; any thread may end the capture. */
    RELAXED
  }

  final StreamQueue origin;
  final Mode mode;
  private final Thread thread;
  private final Map<StreamQueue, Branch> branches = new LinkedHashMap<>();

  /** The effects of the captured calls in a launch of the graph. */
  final List<Consumer<GraphLaunch>> steps = new ArrayList<>();

  /** Open blocks that pools allocated in the capture, by address. */
  private final Map<Long, OwnedBlock> blocks = new HashMap<>();

  /** Each returns why the driver refuses a graph of the captured work; null if it does not. */
  private final List<Supplier<@Nullable String>> refusals = new ArrayList<>();

  private int marks;
  private int nodes;
  private int kernels;
  private boolean ended;
  private boolean invalidated;

  /** Begins a capture on the calling thread. */
  Capture(StreamQueue origin, Mode mode) {
    this.origin = origin;
    this.mode = mode;
    this.thread = Thread.currentThread();
    add(origin);
  }

  boolean isOf(Thread caller) {
    return thread == caller;
  }

  boolean mayBeEndedBy(Thread caller) {
    return mode == Mode.RELAXED || isOf(caller);
  }

  /** Returns whether it refuses unsafe calls of a thread. */
  boolean refuses(Thread caller) {
    return mode == Mode.GLOBAL || (mode == Mode.THREAD_LOCAL && isOf(caller));
  }

  private Branch add(StreamQueue stream) {
    Branch branch = new Branch(branches.size(), stream);
    branches.put(stream, branch);
    stream.capture = this;
    return branch;
  }

  Branch branch(StreamQueue stream) {
    Branch branch = branches.get(stream);
    if (branch == null) {
      throw new IllegalStateException(stream + " does not belong to the capture of " + origin);
    }
    return branch;
  }

  /** Adds a node, and counts it for the memory that the driver needs for the graph. */
  void add(StreamQueue stream, boolean isKernel, Consumer<GraphLaunch> step) {
    branch(stream).work++;
    steps.add(step);
    nodes++;
    kernels += isKernel ? 1 : 0;
  }

  int nodes() {
    return nodes;
  }

  /** Returns how many nodes the device runs as kernels. */
  int kernels() {
    return kernels;
  }

  /** Adds a possible refusal; it returns null while the driver does not refuse. */
  void refusedIf(Supplier<@Nullable String> refusal) {
    refusals.add(refusal);
  }

  /** Returns why the driver refuses a graph of the captured work now; null if it does not. */
  @Nullable String refusal() {
    for (Supplier<@Nullable String> each : refusals) {
      String reason = each.get();
      if (reason != null) {
        return reason;
      }
    }
    return null;
  }

  Mark record(StreamQueue stream) {
    Branch branch = branch(stream);
    int index = marks++;
    steps.add(launch -> launch.mark(index, branch.index));
    return new Mark(this, index, branch.snapshot());
  }

  /**
   * Makes a stream wait for an event of this capture, and captures the stream from then on. A
   * pool's wait counts for pools alone.
   */
  void await(StreamQueue stream, Mark mark, boolean byPool) {
    Branch branch = branches.get(stream);
    Branch waiting = branch == null ? add(stream) : branch;
    mark.known().forEach((other, work) -> waiting.known.merge(other, work, Math::max));
    steps.add(launch -> launch.await(waiting.index, mark.index(), byPool));
  }

  /** Adds a block that a pool allocates on a stream. */
  void allocated(StreamQueue stream, OwnedBlock block) {
    int index = branch(stream).index;
    blocks.put(block.start, block);
    steps.add(launch -> launch.begins(block, index));
  }

  /**
   * Frees a block on a stream. If the block was allocated in this capture, it begins and ends
   * within each launch.
   */
  void freed(StreamQueue stream, long address) {
    OwnedBlock block = blocks.remove(address);
    if (block == null) {
      return;
    }
    int index = branch(stream).index;
    List<Integer> users =
        branches.values().stream()
            .filter(each -> each.index != index && block.users.contains(each.stream.clock))
            .map(each -> each.index)
            .toList();
    steps.add(launch -> launch.ends(block, index, users));
  }

  /** Makes the capture fail, because of a call that is illegal while capturing. */
  void invalidate() {
    invalidated = true;
  }

  boolean isInvalidated() {
    return invalidated;
  }

  boolean isEnded() {
    return ended;
  }

  /**
   * Returns whether it captures a stream of a device; unless {@code kind} is null, only streams of
   * that kind count.
   */
  boolean concerns(int device, @Nullable StreamKind kind) {
    return branches.keySet().stream()
        .anyMatch(stream -> stream.device == device && (kind == null || stream.kind == kind));
  }

  void end() {
    ended = true;
    branches.keySet().forEach(stream -> stream.capture = null);
  }

  /** Returns a stream whose work was not joined into the first branch; null if there is none. */
  @Nullable StreamQueue unjoined() {
    Branch first = branch(origin);
    for (Branch each : branches.values()) {
      if (each != first && first.known.getOrDefault(each, 0) < each.work) {
        return each.stream;
      }
    }
    return null;
  }

  List<Integer> devices() {
    return branches.keySet().stream().map(stream -> stream.device).toList();
  }

  /** Returns the open blocks, which exist for all launches. */
  Collection<OwnedBlock> lasting() {
    return blocks.values();
  }
}
