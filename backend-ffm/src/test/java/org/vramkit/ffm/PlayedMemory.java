package org.vramkit.ffm;

import static org.vramkit.ffm.Pointers.bytes;
import static org.vramkit.ffm.Pointers.get;
import static org.vramkit.ffm.Pointers.getInt;
import static org.vramkit.ffm.Pointers.put;
import static org.vramkit.ffm.Pointers.told;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.HostMemory;

/** Memory of devices and of the host, fills and copies. */
@SuppressWarnings("UnusedMethod") // called by native code
final class PlayedMemory {
  private final CudaDriver driver;
  private final PlayedHandles streams;

  /** Page-locked buffers by the address of their bytes; the simulator uses other addresses. */
  private final ConcurrentSkipListMap<Long, Locked> host = new ConcurrentSkipListMap<>();

  private record Locked(HostMemory memory, long bytes) {}

  PlayedMemory(CudaDriver driver, PlayedHandles streams) {
    this.driver = driver;
    this.streams = streams;
  }

  @Since(value = 3020, exported = "cuMemGetInfo_v2")
  int cuMemGetInfo(long free, long total) {
    long[] both = new long[2];
    int result = driver.memory().cuMemGetInfo(both);
    put(free, both[0]);
    return told(result, both[1], total);
  }

  @Since(value = 3020, exported = "cuMemAlloc_v2")
  int cuMemAlloc(long dptr, long size) {
    long[] made = new long[1];
    int result = driver.memory().cuMemAlloc(made, size);
    return told(result, made[0], dptr);
  }

  @Since(value = 3020, exported = "cuMemFree_v2")
  int cuMemFree(long dptr) {
    long address = simulated(dptr);
    host.remove(dptr);
    return driver.memory().cuMemFree(address);
  }

  @Since(value = 3020, exported = "cuMemAllocHost_v2")
  int cuMemAllocHost(long pp, long size) {
    HostMemory[] made = new HostMemory[1];
    return lock(driver.memory().cuMemAllocHost(made, size), made, size, pp);
  }

  @Since(2000)
  int cuMemFreeHost(long pointer) {
    return driver.memory().cuMemFreeHost(unlocked(pointer));
  }

  @Since(6000)
  int cuMemAllocManaged(long dptr, long size, int flags) {
    if (flags != 1) {
      return CudaResult.INVALID_VALUE;
    }
    HostMemory[] made = new HostMemory[1];
    return lock(driver.memory().cuMemAllocManaged(made, size), made, size, dptr);
  }

  @Since(value = 6050, exported = "cuMemHostRegister_v2")
  int cuMemHostRegister(long pointer, long size, int flags) {
    if (flags != 3) {
      return CudaResult.INVALID_VALUE;
    }
    HostMemory[] made = new HostMemory[1];
    int result = driver.memory().cuMemHostRegister(made, bytes(pointer, size));
    if (result == CudaResult.SUCCESS) {
      host.put(pointer, new Locked(made[0], size));
    }
    return result;
  }

  @Since(4000)
  int cuMemHostUnregister(long pointer) {
    return driver.memory().cuMemHostUnregister(unlocked(pointer));
  }

  @Since(3020)
  int cuMemsetD8Async(long target, byte value, long size, long stream) {
    return driver.copies().cuMemsetD8Async(simulated(target), value, size, streams.known(stream));
  }

  @Since(4000)
  int cuMemcpyAsync(long target, long source, long size, long stream) {
    return driver
        .copies()
        .cuMemcpyAsync(simulated(target), simulated(source), size, streams.known(stream));
  }

  @Since(value = 3020, exported = "cuMemcpyHtoDAsync_v2")
  int cuMemcpyHtoDAsync(long target, long source, long size, long stream) {
    Map.Entry<Long, Locked> from = locked(source, size);
    long to = simulated(target);
    return from == null
        ? driver.copies().cuMemcpyHtoDAsync(to, bytes(source, size), streams.known(stream))
        : driver
            .copies()
            .cuMemcpyHtoDAsync(
                to, from.getValue().memory(), source - from.getKey(), size, streams.known(stream));
  }

  @Since(value = 3020, exported = "cuMemcpyDtoHAsync_v2")
  int cuMemcpyDtoHAsync(long target, long source, long size, long stream) {
    Map.Entry<Long, Locked> to = locked(target, size);
    long from = simulated(source);
    return to == null
        ? driver.copies().cuMemcpyDtoHAsync(bytes(target, size), from, streams.known(stream))
        : driver
            .copies()
            .cuMemcpyDtoHAsync(
                to.getValue().memory(), target - to.getKey(), from, size, streams.known(stream));
  }

  /** Refuses what the driver refuses: the legacy stream, no copies, and wrong attributes. */
  @Since(12080)
  int cuMemcpyBatchAsync(
      long targets,
      long sources,
      long sizes,
      long count,
      long attributes,
      long firsts,
      long attributeCount,
      long failed,
      long stream) {
    if (stream <= 1
        || count < 1
        || attributeCount != 1
        || get(firsts) != 0
        || getInt(attributes) != 1
        || getInt(attributes + 20) != 0) {
      return CudaResult.INVALID_VALUE;
    }
    // The last one first, because a batch has no order.
    for (long at = (count - 1) * Long.BYTES; at >= 0; at -= Long.BYTES) {
      long size = get(sizes + at);
      long target = get(targets + at);
      long source = get(sources + at);
      int result =
          locked(target, size) == null
              ? cuMemcpyHtoDAsync(target, source, size, stream)
              : cuMemcpyDtoHAsync(target, source, size, stream);
      if (result != CudaResult.SUCCESS) {
        put(failed, at / Long.BYTES);
        return result;
      }
    }
    return CudaResult.SUCCESS;
  }

  private int lock(int result, HostMemory[] made, long size, long pointer) {
    if (result == CudaResult.SUCCESS) {
      long first = MemorySegment.ofBuffer(made[0].view(0, Math.toIntExact(size))).address();
      host.put(first, new Locked(made[0], size));
      put(pointer, first);
    }
    return result;
  }

  private HostMemory unlocked(long pointer) {
    Locked found = host.remove(pointer);
    if (found == null) {
      throw new AssertionError("no page-locked memory at 0x" + Long.toHexString(pointer));
    }
    return found.memory();
  }

  /** Returns the simulator's address for an address that may be in host memory. */
  long simulated(long address) {
    Map.Entry<Long, Locked> found = host.floorEntry(address);
    return found == null || address - found.getKey() > found.getValue().bytes()
        ? address
        : found.getValue().memory().getAddress() + address - found.getKey();
  }

  private Map.@Nullable Entry<Long, Locked> locked(long address, long size) {
    Map.Entry<Long, Locked> found = host.floorEntry(address);
    return found == null || address + size > found.getKey() + found.getValue().bytes()
        ? null
        : found;
  }
}
