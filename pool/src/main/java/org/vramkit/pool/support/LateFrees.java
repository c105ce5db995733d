package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;

/**
 * Closed blocks that could not be taken back: because the driver failed and it is not known when
 * their streams end, or because a capture or a graph uses them. Kept until it is tried again, never
 * handed out before. Every method is atomic.
 */
final class LateFrees {
  /**
   * One block, as it was closed.
   *
   * @param users other streams that use it
   * @param inGraph whether a graph uses it
   */
  record LateFree(long address, long bytes, Stream stream, List<Stream> users, boolean inGraph) {

    /** Tells whether nothing can be done for it now, because of a capture or a graph. */
    boolean isHeld(CapturedStreams captured) {
      if (inGraph) {
        return CapturedStreams.areAlive(devices());
      }
      return captured.isUnasked(stream) || users.stream().anyMatch(captured::isUnasked);
    }

    /** The same, as no graph that uses it is launched again. */
    LateFree outOfGraph() {
      return inGraph ? new LateFree(address, bytes, stream, users, false) : this;
    }

    /** The devices of its streams. */
    Set<Device> devices() {
      Set<Device> devices = new HashSet<>();
      devices.add(stream.getDevice());
      users.forEach(each -> devices.add(each.getDevice()));
      return devices;
    }
  }

  private final List<LateFree> blocks = new ArrayList<>(0);

  synchronized void add(LateFree block) {
    blocks.add(block);
  }

  synchronized boolean isEmpty() {
    return blocks.isEmpty();
  }

  /** Takes all out, for the caller to try again. */
  synchronized List<LateFree> takeAll() {
    List<LateFree> taken = List.copyOf(blocks);
    blocks.clear();
    return taken;
  }
}
