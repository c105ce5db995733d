package org.vramkit.sim;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.Strictness;
import org.vramkit.sim.memory.BlockSpace;
import org.vramkit.sim.memory.PhysicalBudget;
import org.vramkit.sim.memory.RangeAddresses;
import org.vramkit.sim.recording.CallNote;

/**
 * The state that the parts of a device share: its memory, streams and pools, and the driver. The
 * parts do not know the {@link SimDevice} that users hold. Guarded by the backend's lock.
 */
final class DeviceCore implements BlockSpace.Memory {
  /** Bytes that the driver gave up before a request failed, on an H200 with driver 580. */
  private static final long SPARE = 126L << 20;

  final Engine engine;
  final CallRecording recording;
  final Captures captures;
  final PhysicalBudget budget;
  final DeviceStreams streams;

  /** Driver pools, the default one first; closed ones remain while they have memory. */
  final List<DriverPoolMemory> pools = new ArrayList<>();

  /** Ordinals of the devices whose plain memory it may access. */
  final Set<Integer> peers = new HashSet<>();

  /** All devices of the simulator, by ordinal. */
  final List<DeviceCore> all;

  /** True if its profile has peer access. */
  final boolean hasPeerAccess;

  /** Plain memory. */
  final BlockSpace blocks;

  /** True if memory is accounted for in exact bytes, and not in the driver's units. */
  final boolean exact;

  final Device device;
  final int ordinal;
  private static final int MANY_POOLS = 32;

  /** Memory of the driver for streams and graphs; null if it takes none for itself. */
  private final @Nullable ContextMemory context;

  private final Function<Stream, @Nullable StreamQueue> queues;
  private long nextHandle;

  /**
   * Creates a device with only the default stream, and adds it to all devices of the simulator;
   * {@code queues} returns null for streams of other backends.
   */
  DeviceCore(
      Engine engine,
      Captures captures,
      Device device,
      DeviceProfile profile,
      List<DeviceCore> all,
      Function<Stream, @Nullable StreamQueue> queues) {
    this.engine = engine;
    this.recording = engine.recording;
    this.captures = captures;
    this.device = device;
    this.ordinal = all.size();
    this.queues = queues;
    this.exact = profile.exactMemory();
    this.hasPeerAccess = profile.capabilities().contains(Capability.PEER_ACCESS);
    this.budget =
        new PhysicalBudget(
            profile.properties().totalMemoryBytes(),
            profile.contextBytes(),
            Math.min(SPARE, profile.contextBytes()));
    this.context = profile.contextBytes() > 0 ? new ContextMemory(budget) : null;
    engine.budgets.add(budget);
    all.add(this);
    this.all = all;
    this.blocks =
        new BlockSpace(
            engine.space.deviceArena, this, exact ? BlockSpace.SLOT : RangeAddresses.PAGE);
    this.nextHandle = (ordinal + 1L) << 32;
    this.streams = new DeviceStreams(engine, ordinal);
  }

  /**
   * Reserves memory of the device; returns false if there is too little. Before that, the driver
   * takes the unused memory of all pools, moves managed memory to the host, and gives up what it
   * can spare of its own.
   */
  @Override
  public boolean reserve(long bytes) {
    if (budget.reserve(bytes)) {
      return true;
    }
    giveUpUnused();
    if (budget.reserve(bytes)) {
      return true;
    }
    if (bytes > budget.total) {
      return false;
    }
    engine.managed.values().forEach(pages -> pages.evict(ordinal));
    if (budget.reserve(bytes)) {
      return true;
    }
    if (context != null) {
      context.giveUp();
    }
    budget.giveUpSpare();
    return budget.reserve(bytes);
  }

  /** Lets all pools release what they do not use. */
  void giveUpUnused() {
    List.copyOf(pools).forEach(DriverPoolMemory::giveUp);
  }

  @Override
  public void release(long bytes) {
    budget.release(bytes);
  }

  /** Returns the driver pool of any device that allocated an address; null if none did. */
  @Nullable DriverPoolMemory anyPoolOf(long address) {
    for (DeviceCore each : all) {
      DriverPoolMemory pool = each.poolOf(address);
      if (pool != null) {
        return pool;
      }
    }
    return null;
  }

  long newHandle() {
    return ++nextHandle;
  }

  /** Records this device as the called one. */
  CallNote on(CallNote note) {
    return note.device(ordinal);
  }

  /** Records a handle of this device as the called object. */
  CallNote on(CallNote note, long handle) {
    return on(note).uses(ordinal, handle);
  }

  /** Records a stream as an operand of a call, even a stream of another simulator. */
  CallNote note(CallNote note, Stream stream) {
    StreamQueue queue = queues.apply(stream);
    return queue == null ? note.uses(-1, 0) : queue.note(note);
  }

  /** Returns the queue of a stream of this device. */
  StreamQueue ours(Stream stream) {
    StreamQueue queue = queues.apply(stream);
    if (queue != null && queue.isOf(engine) && queue.device == ordinal) {
      return queue;
    }
    engine.checker.apiErrors.wrongDevice(
        "use of " + stream, stream + " does not belong to " + device);
    throw new InvalidArgumentException(
        stream + " does not belong to device " + ordinal + " of this simulator");
  }

  /** Returns the queue of a stream of any device of the simulator. */
  StreamQueue ofBackend(Stream stream) {
    StreamQueue queue = queues.apply(stream);
    return queue != null && queue.isOf(engine) ? queue : ours(stream);
  }

  void requireOfBackend(Device other) {
    if (other.getBackend() != device.getBackend()) {
      throw new InvalidArgumentException(other + " does not belong to this simulator");
    }
  }

  /** Takes the memory of the driver that a call needs; the call fails if there is too little. */
  void take(long[] need, DriverFunction function) {
    if (context != null && !context.take(need)) {
      throw engine.outOfMemory(function, 0);
    }
  }

  /** Returns the memory of the driver that a stream or graph has used. */
  void leave(long[] need) {
    if (context != null) {
      context.leave(need);
    }
  }

  /** Forgets closed pools whose memory is done with, if there are many. */
  void forgetClosedPools() {
    if (pools.size() >= MANY_POOLS) {
      List.copyOf(pools).forEach(DriverPoolMemory::giveUpIfClosed);
    }
  }

  /** Returns whether the checker counts the waits of calls that need not wait. */
  boolean waitsCount() {
    return engine.checker.options.strictness() == Strictness.LENIENT;
  }

  /** Returns the driver pool that allocated an address; null if none did. */
  @Nullable DriverPoolMemory poolOf(long address) {
    for (DriverPoolMemory pool : pools) {
      if (pool.at(address) != null) {
        return pool;
      }
    }
    return null;
  }

  /** Releases memory of pools above their thresholds, as at every synchronization. */
  void releaseUnused() {
    pools.forEach(DriverPoolMemory::releaseUnused);
  }

  @Override
  public String toString() {
    return device.toString();
  }
}
