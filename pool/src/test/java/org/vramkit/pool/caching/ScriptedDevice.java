package org.vramkit.pool.caching;

import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.device.VirtualMemory;

/**
 * As little of a device as the caching allocator needs over segments: each call is a step or two,
 * so that Lincheck, which goes through the orders of all steps of all that is called, spends its
 * time on the allocator. The simulator takes thousands. Safe for any thread.
 */
public class ScriptedDevice implements Device {
  private static final DeviceProperties PROPERTIES =
      new DeviceProperties("scripted", Long.MAX_VALUE, 1, 1, 1, 1, 1, 1, 1, false, false);

  private final AtomicLong nextAddress = new AtomicLong(1L << 30);
  private final AtomicInteger liveSegments = new AtomicInteger();
  private final AtomicInteger liveEvents = new AtomicInteger();

  private final DeviceMemory memory =
      new DeviceMemory() {
        @Override
        public long allocate(long bytes) {
          liveSegments.incrementAndGet();
          return nextAddress.getAndAdd(bytes);
        }

        @Override
        public void free(long address) {
          liveSegments.decrementAndGet();
        }
      };

  /** Segments and events that were made and not given back. */
  public int live() {
    return liveSegments.get() + liveEvents.get();
  }

  /** A fresh one, of which nothing is used. */
  public ScriptedDevice() {}

  @Override
  public ScriptedStream createStream(StreamKind kind) {
    return new ScriptedStream(this, 7);
  }

  @Override
  public Event createEvent() {
    liveEvents.incrementAndGet();
    return new ScriptedEvent(this);
  }

  public void eventClosed() {
    liveEvents.decrementAndGet();
  }

  @Override
  public DeviceMemory getMemory() {
    return memory;
  }

  @Override
  public int getOrdinal() {
    return 0;
  }

  @Override
  public Set<Capability> getCapabilities() {
    return Set.of();
  }

  @Override
  public void synchronize() {}

  private static UnsupportedOperationException unasked() {
    return new UnsupportedOperationException("the allocator over segments does not ask for this");
  }

  @Override
  public Backend getBackend() {
    throw unasked();
  }

  @Override
  public DeviceProperties getProperties() {
    return PROPERTIES;
  }

  @Override
  public MemoryInfo getMemoryInfo() {
    throw unasked();
  }

  @Override
  public Stream getDefaultStream() {
    throw unasked();
  }

  @Override
  public VirtualMemory getVirtualMemory() {
    throw unasked();
  }

  @Override
  public StreamOrderedMemory getStreamOrderedMemory() {
    throw unasked();
  }

  @Override
  public DriverPools getDriverPools() {
    throw unasked();
  }

  @Override
  public PinnedMemory getPinnedMemory() {
    throw unasked();
  }

  @Override
  public PeerAccess getPeerAccess() {
    throw unasked();
  }

  @Override
  public Graphs getGraphs() {
    throw unasked();
  }
}
