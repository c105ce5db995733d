package org.vramkit.pool.support;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;

/**
 * A closed block of a {@link BlockAllocator} whose memory is to be freed.
 *
 * @param inGraph whether a graph uses the memory
 */
record DeferredFree(long address, long bytes, Stream stream, List<Stream> users, boolean inGraph) {

  /** Returns whether a capture or graph prevents the free now. */
  boolean isHeld(CapturedStreams captured) {
    if (inGraph) {
      return CapturedStreams.areAlive(devices());
    }
    return captured.isUnqueryable(stream) || users.stream().anyMatch(captured::isUnqueryable);
  }

  /**
   * Returns the block without its graph, for an owner that knows that the graph is never launched
   * again.
   */
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
