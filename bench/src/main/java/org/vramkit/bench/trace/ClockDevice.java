package org.vramkit.bench.trace;

import java.util.Set;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.DriverPools;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.device.PeerAccess;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.sim.DeviceProfile;

/**
 * A device whose calls cost a few instructions, so that benchmarks measure the allocator alone. It
 * has the properties of an H200, unlimited memory, and streams that are busy in simulated time. Not
 * thread-safe.
 */
final class ClockDevice implements Device {
  private static final DeviceProperties PROPERTIES = DeviceProfile.H200.properties();

  private final Backend backend;
  private final Clock clock = new Clock();
  private final ClockMemory memory = new ClockMemory();
  private final ClockStream defaultStream = new ClockStream(this, 0);
  private long lastHandle;

  ClockDevice(Backend backend) {
    this.backend = backend;
  }

  Clock clock() {
    return clock;
  }

  /** Returns the time of work that writes {@code bytes}, in nanoseconds. */
  static long nanosToWrite(long bytes) {
    return (long) (bytes * 1e9 / PROPERTIES.getMemoryBandwidth());
  }

  @Override
  public int getOrdinal() {
    return 0;
  }

  @Override
  public Backend getBackend() {
    return backend;
  }

  @Override
  public DeviceProperties getProperties() {
    return PROPERTIES;
  }

  @Override
  public MemoryInfo getMemoryInfo() {
    return new MemoryInfo(PROPERTIES.totalMemoryBytes(), PROPERTIES.totalMemoryBytes());
  }

  @Override
  public Set<Capability> getCapabilities() {
    return Set.of(Capability.VIRTUAL_MEMORY);
  }

  @Override
  public ClockStream getDefaultStream() {
    return defaultStream;
  }

  @Override
  public ClockStream createStream() {
    return createStream(StreamKind.NON_BLOCKING);
  }

  @Override
  public ClockStream createStream(StreamKind kind) {
    return new ClockStream(this, ++lastHandle);
  }

  @Override
  public Event createEvent() {
    return new ClockEvent(this);
  }

  @Override
  public DeviceMemory getMemory() {
    return memory;
  }

  @Override
  public VirtualMemory getVirtualMemory() {
    return memory;
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
    return new NotSupportedException("the benchmark's clock device does not support " + capability);
  }
}
