package org.vramkit.cuda;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.cuda.driver.MemoryCalls;

/** Device memory, page-locked memory of the host, and managed memory. */
final class SimulatedMemory extends SimulatedCalls implements MemoryCalls {
  /** Managed buffers by address, because the driver frees them by the call for device memory. */
  private final Map<Long, PinnedBuffer> managed = new ConcurrentHashMap<>();

  SimulatedMemory(SimulatedProcess process) {
    super(process);
  }

  record Pinned(PinnedBuffer buffer) implements HostMemory {
    @Override
    public long getAddress() {
      return buffer.getAddress();
    }

    @Override
    public ByteBuffer view(long offset, int bytes) {
      return buffer.getBytes(offset, bytes);
    }
  }

  @Override
  public int cuMemGetInfo(long[] freeAndTotal) {
    return here(
        () -> {
          MemoryInfo info = device().getMemoryInfo();
          freeAndTotal[0] = info.freeBytes();
          freeAndTotal[1] = info.totalBytes();
        });
  }

  @Override
  public int cuMemAlloc(long[] address, long bytes) {
    return here(() -> address[0] = device().getMemory().allocate(bytes));
  }

  @Override
  public int cuMemFree(long address) {
    PinnedBuffer buffer = managed.remove(address);
    return buffer == null ? here(() -> device().getMemory().free(address)) : code(buffer::close);
  }

  @Override
  public int cuMemAllocHost(HostMemory[] memory, long bytes) {
    return here(() -> memory[0] = new Pinned(device().getPinnedMemory().allocate(bytes)));
  }

  @Override
  public int cuMemFreeHost(HostMemory memory) {
    return code(((Pinned) memory).buffer()::close);
  }

  @Override
  public int cuMemAllocManaged(HostMemory[] memory, long bytes) {
    return here(
        () -> {
          PinnedBuffer buffer = device().getManagedMemory().allocate(bytes);
          managed.put(buffer.getAddress(), buffer);
          memory[0] = new Pinned(buffer);
        });
  }

  @Override
  public int cuMemHostRegister(HostMemory[] memory, ByteBuffer bytes) {
    return here(() -> memory[0] = new Pinned(device().getPinnedMemory().register(bytes)));
  }

  @Override
  public int cuMemHostUnregister(HostMemory memory) {
    return cuMemFreeHost(memory);
  }
}
