package org.vramkit.sim;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.device.StreamKind;
import org.vramkit.sim.check.HostClock;
import org.vramkit.sim.check.Order;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;

/**
 * The streams of a device, and waits for all of them. Work of a closed stream goes on, and is
 * waited for as well. Once some thread knows it to be done the stream is forgotten, but not what it
 * did: the others still learn of it when they wait for the device. Guarded by the backend's lock.
 */
final class DeviceStreams {
  /** How many streams there may be before closed ones are looked for. */
  private static final int FIRST_SWEEP = 64;

  private final SimDevice device;
  private final Engine engine;
  private final SimStream defaultStream;
  private final List<StreamQueue> created = new ArrayList<>();

  /** What the forgotten ones did. */
  private final HostClock over = new HostClock();

  /** What those of them did that the default stream follows. */
  private final HostClock overBlocking = new HostClock();

  private int nextSweep = FIRST_SWEEP;

  /** The default stream alone. */
  DeviceStreams(SimDevice device) {
    this.device = device;
    this.engine = device.engine;
    this.defaultStream =
        new SimStream(device, SimDevice.DEFAULT_STREAM, StreamKind.BLOCKING, "default");
  }

  SimStream getDefault() {
    return defaultStream;
  }

  /** Of those that were created, without the default one; closed ones while work is left. */
  List<StreamQueue> getCreated() {
    return created;
  }

  /** Lets the default stream come after all blocking streams. */
  void followBlocking() {
    StreamQueue queue = defaultStream.queue();
    queue.clock().join(overBlocking);
    for (StreamQueue other : created) {
      if (other.kind() == StreamKind.BLOCKING) {
        queue.follow(other);
      }
    }
  }

  /** What the next operation follows of the default stream, or of one that blocks it. */
  List<? extends Order> followedBy(SimStream stream) {
    if (!stream.equals(defaultStream)) {
      return List.of(defaultStream.clock());
    }
    List<Order> followed = new ArrayList<>();
    followed.add(overBlocking);
    for (StreamQueue other : created) {
      if (other.kind() == StreamKind.BLOCKING) {
        followed.add(other.clock());
      }
    }
    return followed;
  }

  /**
   * One more.
   *
   * @param name what reports call it; empty for its handle
   */
  SimStream create(StreamKind kind, String name) {
    if (created.size() >= nextSweep) {
      forgetThoseThatAreOver();
      nextSweep = Math.max(FIRST_SWEEP, 2 * created.size());
    }
    long handle = device.newHandle();
    String number = "0x" + Long.toHexString(handle);
    String unnamed = kind == StreamKind.BLOCKING ? "blocking " + number : number;
    String words = name.isEmpty() ? unnamed : name;
    SimStream stream = new SimStream(device, handle, kind, words);
    created.add(stream.queue());
    engine.holdings.holdStream(device.getOrdinal(), handle, name);
    engine.holdings.watch(LeakKind.STREAM, handle, stream);
    return stream;
  }

  private void forgetThoseThatAreOver() {
    created.removeIf(
        queue -> {
          boolean forgotten = queue.isOver();
          if (forgotten) {
            over.join(queue.clock());
            if (queue.kind() == StreamKind.BLOCKING) {
              overBlocking.join(queue.clock());
            }
          }
          return forgotten;
        });
  }

  /** Lets the host wait for all of them. */
  void finishAll(DriverFunction function) {
    List<StreamQueue.Queued> queued = new ArrayList<>(created.size() + 1);
    queued.add(defaultStream.queue().queued());
    created.forEach(queue -> queued.add(queue.queued()));
    queued.forEach(each -> each.finish(function));
    learnWhatIsOver();
    forgetThoseThatAreOver();
  }

  private void learnWhatIsOver() {
    if (!over.isEmpty()) {
      engine.checker.hostKnows(over);
      engine.checker.getSyncs().hostWaited("device " + device.getOrdinal(), over);
    }
  }

  /** Lets the host wait for what nothing holds. */
  void finishUnlessHeld() {
    defaultStream.queue().finishUnlessHeld();
    created.forEach(StreamQueue::finishUnlessHeld);
    if (!over.isEmpty()) {
      engine.checker.hostKnows(over);
    }
  }
}
