package org.vramkit.testkit;

import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.DriverPools;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.device.PeerAccess;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.NotSupportedException;

/** A device of host memory without capabilities. */
final class HostDevice implements Device {
  private final Backend backend;
  private final int ordinal;
  private final HostMemory memory;
  private final AtomicLong handles = new AtomicLong(1);
  private final Stream defaultStream;

  HostDevice(Backend backend, int ordinal) {
    this.backend = backend;
    this.ordinal = ordinal;
    memory = new HostMemory((ordinal + 1L) << 40);
    defaultStream = new HostStream(this, memory, 0);
  }

  HostMemory memory() {
    return memory;
  }

  @Override
  public int getOrdinal() {
    return ordinal;
  }

  @Override
  public Backend getBackend() {
    return backend;
  }

  @Override
  public DeviceProperties getProperties() {
    return new DeviceProperties(
        "host memory", HostMemory.CAPACITY, 1, 1, 1, 64, 1, 1, 0, true, false);
  }

  @Override
  public MemoryInfo getMemoryInfo() {
    return new MemoryInfo(HostMemory.CAPACITY - memory.used(), HostMemory.CAPACITY);
  }

  @Override
  public Set<Capability> getCapabilities() {
    return Set.of();
  }

  @Override
  public Stream getDefaultStream() {
    return defaultStream;
  }

  @Override
  public Stream createStream(StreamKind kind) {
    return new HostStream(this, memory, handles.getAndIncrement());
  }

  @Override
  public Event createEvent() {
    return new HostEvent(this);
  }

  @Override
  public HostMemory getMemory() {
    return memory;
  }

  @Override
  public VirtualMemory getVirtualMemory() {
    throw lacks(Capability.VIRTUAL_MEMORY);
  }

  @Override
  public StreamOrderedMemory getStreamOrderedMemory() {
    throw lacks(Capability.STREAM_ORDERED_MEMORY);
  }

  @Override
  public DriverPools getDriverPools() {
    throw lacks(Capability.DRIVER_POOLS);
  }

  @Override
  public PinnedMemory getPinnedMemory() {
    throw lacks(Capability.PINNED_HOST_MEMORY);
  }

  @Override
  public PeerAccess getPeerAccess() {
    throw lacks(Capability.PEER_ACCESS);
  }

  @Override
  public Graphs getGraphs() {
    throw lacks(Capability.GRAPHS);
  }

  @Override
  public void synchronize() {}

  private static NotSupportedException lacks(Capability capability) {
    return new NotSupportedException("host memory lacks " + capability);
  }
}
