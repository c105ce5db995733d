package org.vramkit.api.device;

import java.util.Objects;
import java.util.Set;
import org.vramkit.api.error.NotSupportedException;

/**
 * One GPU. Lives as long as its {@link Backend}. Safe for any thread: each call binds the device it
 * needs and restores what the thread had bound before.
 */
public interface Device {

  /** The number of the device in its backend, from 0. */
  int getOrdinal();

  /** The backend it belongs to. */
  Backend getBackend();

  /** Returns the properties of the device; read once and kept. */
  DeviceProperties getProperties();

  /** How much memory is free now; a driver call. */
  MemoryInfo getMemoryInfo();

  /** Returns the abilities of the device; never changes. */
  Set<Capability> getCapabilities();

  /** Returns whether the device can do this. */
  default boolean supports(Capability capability) {
    return getCapabilities().contains(capability);
  }

  /** The legacy default stream, which waits for every blocking stream and makes them wait. */
  Stream getDefaultStream();

  /** A new stream of the kind {@link StreamKind#NON_BLOCKING}; the caller closes it. */
  default Stream createStream() {
    return createStream(StreamKind.NON_BLOCKING);
  }

  /** A new stream; the caller closes it. */
  Stream createStream(StreamKind kind);

  /**
   * A new stream of the kind {@link StreamKind#NON_BLOCKING} with a name for people, which stands
   * beside its handle in reports, statistics and exports; the caller closes it. Several may have
   * one name. A device that keeps no names makes a stream without one.
   *
   * @param name such as {@code copies}; empty for none
   */
  default Stream createStream(String name) {
    Objects.requireNonNull(name, "name");
    return createStream();
  }

  /** A new event without timing, not yet recorded; the caller closes it. */
  Event createEvent();

  /** Plain allocation; every device has it. */
  DeviceMemory getMemory();

  /**
   * Virtual memory.
   *
   * @throws NotSupportedException without {@link Capability#VIRTUAL_MEMORY}
   */
  VirtualMemory getVirtualMemory();

  /**
   * Allocation in stream order from the device's default pool.
   *
   * @throws NotSupportedException without {@link Capability#STREAM_ORDERED_MEMORY}
   */
  StreamOrderedMemory getStreamOrderedMemory();

  /**
   * Pools of the driver.
   *
   * @throws NotSupportedException without {@link Capability#DRIVER_POOLS}
   */
  DriverPools getDriverPools();

  /**
   * Page-locked host memory.
   *
   * @throws NotSupportedException without {@link Capability#PINNED_HOST_MEMORY}
   */
  PinnedMemory getPinnedMemory();

  /**
   * Managed memory.
   *
   * @throws NotSupportedException without {@link Capability#MANAGED_MEMORY}
   */
  default ManagedMemory getManagedMemory() {
    throw new NotSupportedException(this + " has no " + Capability.MANAGED_MEMORY);
  }

  /**
   * Access to other devices' memory.
   *
   * @throws NotSupportedException without {@link Capability#PEER_ACCESS}
   */
  PeerAccess getPeerAccess();

  /**
   * Capture of work into graphs.
   *
   * @throws NotSupportedException without {@link Capability#GRAPHS}
   */
  Graphs getGraphs();

  /** Returns the observer of what allocators hand out of this device's memory. */
  default MemoryObserver getMemoryObserver() {
    return MemoryObserver.NONE;
  }

  /** A new edge, for code that hands work on devices from one thread of the host to another. */
  default HostEdge createHostEdge() {
    return HostEdge.NONE;
  }

  /** Waits until all work of all streams of this device is done. */
  void synchronize();

  /**
   * Makes the device current on the calling thread, for code that calls the driver itself, such as
   * the launch of a kernel. Nothing of Vramkit needs it.
   *
   * <p>For platform threads only: the driver knows the threads of the system, and a virtual thread
   * that blocks before the binding is closed may go on upon another one, which then has another
   * device current or none, while the first keeps this one.
   *
   * @return what leaves the thread as it was found
   */
  default DeviceBinding bind() {
    return DeviceBinding.NONE;
  }
}
