package org.vramkit.tools.replay;

import java.util.List;
import java.util.Map;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;

/** Hands the same memory to every stream without any order, and may forget to give it back. */
final class BrokenAllocator implements Allocator {
  private static final long BYTES = 200_000_000;

  private final Device device;
  private final boolean leaking;
  private final long address;

  BrokenAllocator(Device device, boolean leaking) {
    this.device = device;
    this.leaking = leaking;
    this.address = device.getMemory().allocate(BYTES);
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public Allocation allocate(long bytes, Stream stream) {
    device.getMemoryObserver().allocated(address, bytes, stream);
    return new Handle(bytes, stream);
  }

  @Override
  public void trim(long keepBytes) {}

  @Override
  public AllocatorStatistics getStatistics() {
    return new AllocatorStatistics(Map.of(), List.of(), List.of());
  }

  @Override
  public void resetPeaks() {}

  @Override
  public void close() {
    if (!leaking) {
      device.getMemory().free(address);
    }
  }

  private final class Handle implements Allocation {
    private final long bytes;
    private final Stream stream;
    private boolean closed;

    Handle(long bytes, Stream stream) {
      this.bytes = bytes;
      this.stream = stream;
    }

    @Override
    public long getAddress() {
      return address;
    }

    @Override
    public long getSize() {
      return bytes;
    }

    @Override
    public Stream getStream() {
      return stream;
    }

    @Override
    public boolean isClosed() {
      return closed;
    }

    @Override
    public void recordUse(Stream other) {
      device.getMemoryObserver().used(address, other);
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        device.getMemoryObserver().freed(address, stream);
      }
    }
  }
}
