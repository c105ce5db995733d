package org.vramkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.vramkit.api.device.StreamKind;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;

/**
 * The streams of a device, and waits for all of them. Work of a closed stream goes on, and is
 * waited for as well; it is forgotten when a wait for it would teach nobody anything. Guarded by
 * the backend's lock.
 */
final class DeviceStreams {
  /** How many streams there may be before closed ones are looked for. */
  private static final int FIRST_SWEEP = 64;

  private final SimDevice device;
  private final Engine engine;
  private final SimStream defaultStream;
  private final List<StreamQueue> created = new ArrayList<>();
  private int nextSweep = FIRST_SWEEP;

  /** The default stream alone. */
  DeviceStreams(SimDevice device) {
    this.device = device;
    this.engine = device.engine;
    this.defaultStream =
        new SimStream(device, SimDevice.DEFAULT_STREAM, StreamKind.BLOCKING, "0x0");
  }

  SimStream getDefault() {
    return defaultStream;
  }

  /** Of those that were created, without the default one; closed ones while work is left. */
  List<StreamQueue> getCreated() {
    return created;
  }

  /**
   * One more.
   *
   * @param name what reports call it; empty for its handle
   */
  SimStream create(StreamKind kind, String name) {
    forgetThoseThatAreOver();
    long handle = device.newHandle();
    String words = name.isEmpty() ? "0x" + Long.toHexString(handle) : name;
    SimStream stream = new SimStream(device, handle, kind, words);
    created.add(stream.queue());
    engine.holdings.holdStream(device.getOrdinal(), handle, name);
    engine.holdings.watch(LeakKind.STREAM, handle, stream);
    return stream;
  }

  private void forgetThoseThatAreOver() {
    if (created.size() >= nextSweep) {
      created.removeIf(queue -> queue.isClosed() && engine.checker.isKnownToAll(queue.clock()));
      nextSweep = Math.max(FIRST_SWEEP, 2 * created.size());
    }
  }

  /** Lets the host wait for all of them. */
  void finishAll(DriverFunction function) {
    List<StreamQueue.Queued> queued = new ArrayList<>(created.size() + 1);
    queued.add(defaultStream.queue().queued());
    created.forEach(queue -> queued.add(queue.queued()));
    queued.forEach(each -> each.finish(function));
    Set<StreamQueue> over =
        queued.stream()
            .filter(StreamQueue.Queued::isAll)
            .map(StreamQueue.Queued::queue)
            .collect(Collectors.toSet());
    created.removeAll(over);
  }

  /** Lets the host wait for what nothing holds. */
  void finishUnlessHeld() {
    defaultStream.queue().finishUnlessHeld();
    created.forEach(StreamQueue::finishUnlessHeld);
  }
}
