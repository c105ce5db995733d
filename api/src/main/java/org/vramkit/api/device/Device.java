package org.vramkit.api.device;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import org.vramkit.api.error.NotSupportedException;

/**
 * A GPU, usable until its {@link Backend} is closed. Safe for any thread: each call makes the
 * device current if needed and restores the thread's previous device.
 */
public interface Device {

  /** Returns the number of the device in its backend, from 0. */
  int getOrdinal();

  /** Returns the backend of this device. */
  Backend getBackend();

  /** Returns the properties of the device, which are read once and cached. */
  DeviceProperties getProperties();

  /** Queries the driver for the device's free and total memory. */
  MemoryInfo getMemoryInfo();

  /** Returns the capabilities of the device; the set never changes. */
  Set<Capability> getCapabilities();

  /** Returns whether the device has {@code capability}. */
  default boolean supports(Capability capability) {
    return getCapabilities().contains(capability);
  }

  /** Returns the legacy default stream, which synchronizes with every blocking stream. */
  Stream getDefaultStream();

  /** Creates a stream of the kind {@link StreamKind#NON_BLOCKING}; the caller closes it. */
  default Stream createStream() {
    return createStream(StreamKind.NON_BLOCKING);
  }

  /** Creates a stream; the caller closes it. */
  Stream createStream(StreamKind kind);

  /**
   * Creates a stream of the kind {@link StreamKind#NON_BLOCKING} with a display name; the caller
   * closes it. The name is shown beside the handle in reports, statistics and exports, and need not
   * be unique. A device that does not support names creates an unnamed stream.
   *
   * @param name the name, such as {@code copies}; empty for none
   */
  default Stream createStream(String name) {
    Objects.requireNonNull(name, "name");
    return createStream();
  }

  /** Creates an event, not yet recorded, that does not measure time; the caller closes it. */
  Event createEvent();

  /** Returns access to plain device memory, which every device supports. */
  DeviceMemory getMemory();

  /**
   * Returns access to virtual memory.
   *
   * @throws NotSupportedException without {@link Capability#VIRTUAL_MEMORY}
   */
  VirtualMemory getVirtualMemory();

  /**
   * Returns access to stream-ordered allocation from the device's default pool.
   *
   * @throws NotSupportedException without {@link Capability#STREAM_ORDERED_MEMORY}
   */
  StreamOrderedMemory getStreamOrderedMemory();

  /**
   * Returns access to the driver's pools.
   *
   * @throws NotSupportedException without {@link Capability#DRIVER_POOLS}
   */
  DriverPools getDriverPools();

  /**
   * Returns access to page-locked host memory.
   *
   * @throws NotSupportedException without {@link Capability#PINNED_HOST_MEMORY}
   */
  PinnedMemory getPinnedMemory();

  /**
   * Returns access to managed memory.
   *
   * @throws NotSupportedException without {@link Capability#MANAGED_MEMORY}
   */
  default ManagedMemory getManagedMemory() {
    throw new NotSupportedException(this + " has no " + Capability.MANAGED_MEMORY);
  }

  /**
   * Returns access to other devices' memory.
   *
   * @throws NotSupportedException without {@link Capability#PEER_ACCESS}
   */
  PeerAccess getPeerAccess();

  /**
   * Returns access to stream capture, which records work into graphs.
   *
   * @throws NotSupportedException without {@link Capability#GRAPHS}
   */
  Graphs getGraphs();

  /**
   * Loads PTX, which the driver compiles for this device. The call may wait for kernels that run.
   *
   * @param ptx the PTX, as nvcc, NVRTC or clang write it
   * @return the module, for the caller to close
   * @throws org.vramkit.api.error.ModuleLoadException if the driver refuses the PTX; the exception
   *     has the compiler's log
   * @throws NotSupportedException without {@link Capability#KERNELS}
   */
  default KernelModule loadModule(String ptx) {
    return loadModule(ptx.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Loads a module: PTX as bytes, or on a CUDA device a cubin or fatbin for that device.
   *
   * @param image the module, with or without a zero byte at its end
   * @return the module, for the caller to close
   * @throws org.vramkit.api.error.ModuleLoadException if the driver refuses the module
   * @throws NotSupportedException without {@link Capability#KERNELS}
   */
  default KernelModule loadModule(byte[] image) {
    throw new NotSupportedException(this + " has no " + Capability.KERNELS);
  }

  /**
   * Returns the limits of launches.
   *
   * @throws NotSupportedException without {@link Capability#KERNELS}
   */
  default KernelLimits getKernelLimits() {
    throw new NotSupportedException(this + " has no " + Capability.KERNELS);
  }

  /**
   * Returns the observer to which allocators report allocations and frees of this device's memory.
   */
  default MemoryObserver getMemoryObserver() {
    return MemoryObserver.NONE;
  }

  /**
   * Creates a happens-before edge for code that passes device work from one host thread to another.
   */
  default HostEdge createHostEdge() {
    return HostEdge.NONE;
  }

  /** Blocks until all work of all streams of this device is complete. */
  void synchronize();

  /**
   * Makes the device current on the calling thread, for code that calls the driver directly, such
   * as a kernel launch. Vramkit's own calls do not need a binding.
   *
   * <p>For platform threads only, because the driver's current device belongs to an operating
   * system thread. A virtual thread that blocks before it closes the binding may resume on another
   * carrier thread, where a different device or none is current. The first carrier thread then
   * keeps this device.
   *
   * @return the binding; closing it restores the thread's previous device
   */
  default DeviceBinding bind() {
    return DeviceBinding.NONE;
  }
}
