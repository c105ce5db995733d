package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;

/**
 * Closed blocks that could not be freed: the driver failed, so that it is unknown when their
 * streams finish, or a capture or graph uses them. They are not reused before a retry succeeds.
 * Every method is atomic.
 */
final class DeferredFrees {
  /** A closed block. */
  record DeferredFree(
      long address, long bytes, Stream stream, List<Stream> users, boolean inGraph) {

    /** Returns whether a capture or graph prevents the free now. */
    boolean isHeld(CapturedStreams captured) {
      if (inGraph) {
        return CapturedStreams.areAlive(devices());
      }
      return captured.isUnasked(stream) || users.stream().anyMatch(captured::isUnasked);
    }

    /** Returns the block without its graph, which is never launched again. */
    DeferredFree outOfGraph() {
      return inGraph ? new DeferredFree(address, bytes, stream, users, false) : this;
    }

    /** Returns the devices of its streams. */
    Set<Device> devices() {
      Set<Device> devices = new HashSet<>();
      devices.add(stream.getDevice());
      users.forEach(each -> devices.add(each.getDevice()));
      return devices;
    }
  }

  private final List<DeferredFree> blocks = new ArrayList<>(0);

  synchronized void add(DeferredFree block) {
    blocks.add(block);
  }

  synchronized boolean isEmpty() {
    return blocks.isEmpty();
  }

  /** Removes all blocks, for the caller to retry. */
  synchronized List<DeferredFree> takeAll() {
    List<DeferredFree> taken = List.copyOf(blocks);
    blocks.clear();
    return taken;
  }
}
