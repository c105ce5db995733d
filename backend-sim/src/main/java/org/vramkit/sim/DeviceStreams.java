package org.vramkit.sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.sim.check.HostClock;
import org.vramkit.sim.check.Order;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;

/**
 * The streams of a device, and waits for all of them. Work of a closed stream continues, and is
 * waited for as well. A closed stream is forgotten once some thread knows its work to be done;
 * other threads still learn of that work when they wait for the device. Guarded by the backend's
 * lock.
 */
final class DeviceStreams {
  /** The number of streams at which closed ones are first searched. */
  private static final int FIRST_SWEEP = 64;

  private final Engine engine;
  private final int device;
  final StreamQueue defaultStream;
  private final List<StreamQueue> created = new ArrayList<>();

  /** The work of all forgotten streams. */
  private final HostClock over = new HostClock();

  /** The work of forgotten blocking streams, which the default stream follows. */
  private final HostClock overBlocking = new HostClock();

  /** Work of streams of other devices that calls which wait for this device include. */
  private final Map<StreamQueue, StreamQueue.Queued> included = new LinkedHashMap<>();

  /** Work of streams of other devices that only the program's waits for this device include. */
  private final Map<StreamQueue, StreamQueue.Queued> readers = new LinkedHashMap<>();

  private int nextSweep = FIRST_SWEEP;

  DeviceStreams(Engine engine, int device) {
    this.engine = engine;
    this.device = device;
    this.defaultStream = queue(OpenHandles.DEFAULT_STREAM, "", StreamKind.BLOCKING, "default");
  }

  private StreamQueue queue(long handle, String name, StreamKind kind, String word) {
    String words = "stream " + word + " of device " + device;
    StreamQueue queue =
        new StreamQueue(engine, words, device, handle, name, kind, this::followDefaultStream);
    if (kind == StreamKind.BLOCKING) {
      queue.clock.follows(() -> followedBy(queue));
    }
    return queue;
  }

  /** Returns the created streams, without the default one; closed ones while they have work. */
  List<StreamQueue> getCreated() {
    return created;
  }

  private void followDefaultStream(StreamQueue queue) {
    if (queue == defaultStream) {
      defaultStream.clock.join(overBlocking);
      blocking().forEach(defaultStream::follow);
    } else {
      queue.follow(defaultStream);
    }
  }

  /** Lets a stream of another device start after the default and blocking streams. */
  void startAfterDefault(StreamQueue other) {
    other.startAfter(defaultStream.tail());
    blocking().forEach(queue -> other.startAfter(queue.tail()));
  }

  private Stream<StreamQueue> blocking() {
    return created.stream().filter(queue -> queue.kind == StreamKind.BLOCKING);
  }

  /** Returns what the next operation of the default stream or a blocking one follows. */
  private List<? extends Order> followedBy(StreamQueue stream) {
    return stream == defaultStream
        ? Stream.concat(Stream.of(overBlocking), blocking().map(queue -> queue.clock)).toList()
        : List.of(defaultStream.clock);
  }

  /** Creates a stream; reports use its handle if the name is empty. */
  StreamQueue create(long handle, StreamKind kind, String name) {
    if (created.size() >= nextSweep) {
      forgetFinishedStreams();
      nextSweep = Math.max(FIRST_SWEEP, 2 * created.size());
    }
    String number = "0x" + Long.toHexString(handle);
    String unnamed = kind == StreamKind.BLOCKING ? "blocking " + number : number;
    StreamQueue stream = queue(handle, name, kind, name.isEmpty() ? unnamed : name);
    created.add(stream);
    engine.openHandles.addNamed(LeakKind.STREAM, device, handle, name);
    return stream;
  }

  /** Lets calls that wait for the device include the present work of another device's stream. */
  void include(StreamQueue other) {
    include(other, included);
  }

  /** Lets waits for the device, but no other calls, include that work. */
  void includeReader(StreamQueue other) {
    include(other, readers);
  }

  private void include(StreamQueue other, Map<StreamQueue, StreamQueue.Queued> others) {
    if (others.size() >= FIRST_SWEEP) {
      forgetFinished(others);
    }
    others.put(other, other.queued());
  }

  private void forgetFinished(Map<StreamQueue, StreamQueue.Queued> others) {
    others.values().removeIf(each -> engine.timeline.isReached(each.tail()));
  }

  /** Adds the queue of a graph's branch, whose work is this device's. */
  void adopt(StreamQueue branch) {
    created.add(branch);
  }

  private void forgetFinishedStreams() {
    created.removeIf(
        queue -> {
          boolean forgotten = queue.isOver();
          if (forgotten) {
            over.join(queue.clock.snapshot());
            if (queue.kind == StreamKind.BLOCKING) {
              overBlocking.join(queue.clock.snapshot());
            }
          }
          return forgotten;
        });
  }

  /** Waits for all work, and throws what it has thrown. */
  void finishAll(DriverFunction function) {
    finish(function, readers);
    finishAll(function, true);
  }

  /**
   * Waits for all work; {@code counts} tells whether the program may rely on the wait, and learns
   * what the work has thrown.
   */
  void finishAll(DriverFunction function, boolean counts) {
    List<StreamQueue.Queued> queued = new ArrayList<>(created.size() + 1);
    queued.add(defaultStream.queued());
    created.forEach(queue -> queued.add(queue.queued()));
    finish(function, included);
    if (!counts) {
      queued.forEach(each -> each.finishByDriver(function));
      return;
    }
    queued.forEach(each -> each.finish(function));
    learnForgottenWork();
    forgetFinishedStreams();
    engine.rethrow();
  }

  private void finish(DriverFunction function, Map<StreamQueue, StreamQueue.Queued> others) {
    List.copyOf(others.values()).forEach(each -> each.finishByDriver(function));
    forgetFinished(others);
  }

  private void learnForgottenWork() {
    if (!over.isEmpty()) {
      engine.checker.hostKnows(over);
    }
  }

  /** Waits for all work that nothing holds. */
  void finishUnlessHeld() {
    defaultStream.finishUnlessHeld();
    created.forEach(StreamQueue::finishUnlessHeld);
    learnForgottenWork();
  }
}
