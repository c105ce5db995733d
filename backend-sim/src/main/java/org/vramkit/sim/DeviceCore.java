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
 * What the parts of a device share: its memory, streams and pools, and the driver beneath. The
 * device in its user's hands is a {@link SimDevice}, which the parts do not know. Guarded by the
 * backend's lock.
 */
final class DeviceCore {
  final Engine engine;
  final CallRecording recording;
  final Captures captures;
  final PhysicalBudget budget;
  final DeviceStreams streams;

  /** Pools of the driver, the default one first; closed ones while memory of theirs is out. */
  final List<DriverPoolChunks> pools = new ArrayList<>();

  final Device device;
  final int ordinal;
  private final Function<Stream, @Nullable StreamQueue> queues;
  private long nextHandle;

  /** With the default stream alone; a stream that is not of a simulator has no queue. */
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

  /** Names the device as the one that is called. */
  CallNote on(CallNote note) {
    return note.device(ordinal);
  }

  /** Names a thing of it as what is called. */
  CallNote on(CallNote note, long handle) {
    return on(note).uses(ordinal, handle);
  }

  /** Names any stream, also one of another simulator. */
  CallNote note(CallNote note, Stream stream) {
    StreamQueue queue = queues.apply(stream);
    return queue == null ? note.uses(-1, 0) : queue.note(note);
  }

  /** What a stream of this device has queued. */
  StreamQueue ours(Stream stream) {
    StreamQueue queue = queues.apply(stream);
    if (queue != null && queue.isOf(engine) && queue.device == ordinal) {
      return queue;
    }
    engine.checker.apiErrors.wrongDevice("use of " + stream, stream + " is not of " + device);
    throw new InvalidArgumentException(
        stream + " is not of device " + ordinal + " of this simulator");
  }

  /** The same of a stream of any device of the simulator. */
  StreamQueue ofBackend(Stream stream) {
    StreamQueue queue = queues.apply(stream);
    return queue != null && queue.isOf(engine) ? queue : ours(stream);
  }

  void requireOfBackend(Device other) {
    if (other.getBackend() != device.getBackend()) {
      throw new InvalidArgumentException(other + " is not of this simulator");
    }
  }

  /** The driver's pool that handed out an address; null if none did. */
  @Nullable DriverPoolChunks poolOf(long address) {
    for (DriverPoolChunks pool : pools) {
      if (pool.at(address) != null) {
        return pool;
      }
    }
    return null;
  }

  /** Pools give back what is above their threshold, as at every synchronisation. */
  void releaseUnused() {
    pools.forEach(DriverPoolChunks::releaseAboveThreshold);
  }

  @Override
  public String toString() {
    return device.toString();
  }
}
