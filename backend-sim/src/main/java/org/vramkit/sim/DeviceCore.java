package org.vramkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.memory.PhysicalBudget;
import org.vramkit.sim.recording.CallNote;

/**
 * The state that the parts of a device share: its memory, streams and pools, and the driver. The
 * parts do not know the {@link SimDevice} that users hold. Guarded by the backend's lock.
 */
final class DeviceCore {
  final Engine engine;
  final CallRecording recording;
  final Captures captures;
  final PhysicalBudget budget;
  final DeviceStreams streams;

  /** Driver pools, the default one first; closed ones remain while their memory is in use. */
  final List<DriverPoolChunks> pools = new ArrayList<>();

  final Device device;
  final int ordinal;
  private final Function<Stream, @Nullable StreamQueue> queues;
  private long nextHandle;

  /**
   * Creates a device with only the default stream; {@code queues} returns null for streams of other
   * backends.
   */
  DeviceCore(
      Engine engine,
      Captures captures,
      Device device,
      int ordinal,
      long memory,
      Function<Stream, @Nullable StreamQueue> queues) {
    this.engine = engine;
    this.recording = engine.recording;
    this.captures = captures;
    this.device = device;
    this.ordinal = ordinal;
    this.queues = queues;
    this.budget = new PhysicalBudget(memory);
    engine.budgets.add(budget);
    this.nextHandle = (ordinal + 1L) << 32;
    this.streams = new DeviceStreams(engine, captures, ordinal);
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

  /** Returns the driver pool that allocated an address; null if none did. */
  @Nullable DriverPoolChunks poolOf(long address) {
    for (DriverPoolChunks pool : pools) {
      if (pool.at(address) != null) {
        return pool;
      }
    }
    return null;
  }

  /** Releases memory of pools above their thresholds, as at every synchronization. */
  void releaseUnused() {
    pools.forEach(DriverPoolChunks::releaseAboveThreshold);
  }

  @Override
  public String toString() {
    return device.toString();
  }
}
