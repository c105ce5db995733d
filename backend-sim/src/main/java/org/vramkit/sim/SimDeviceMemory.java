package org.vramkit.sim;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.check.StreamClock;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.hazard.Strictness;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.AddressSpace.RegionKind;
import org.vramkit.sim.memory.PhysicalMemory;
import org.vramkit.sim.memory.SparseBytes;

/**
 * Plain allocation. Sizes and addresses are multiples of 512 bytes. A free waits for nothing,
 * unless the checker is lenient, because CUDA does not specify a wait.
 */
final class SimDeviceMemory implements DeviceMemory {
  static final long ALIGNMENT = 512;

  private final DeviceCore device;
  private final Engine engine;

  /** Allocations freed in stream order whose streams have not reached the free. */
  private final Set<Long> freeing = new HashSet<>();

  SimDeviceMemory(DeviceCore device) {
    this.device = device;
    this.engine = device.engine;
  }

  @Override
  public long allocate(long bytes) {
    return device.recording.make(
        "allocate",
        step -> device.on(step).value(bytes),
        () -> {
          DriverFunction function = DriverFunction.MEM_ALLOC;
          if (bytes <= 0) {
            throw engine.invalid(function, "cannot allocate " + bytes + " bytes");
          }
          engine.call(function, device.ordinal, bytes);
          if (bytes > device.budget.getFree()
              || !device.budget.reserve(ByteSize.roundUp(bytes, ALIGNMENT))) {
            throw engine.outOfMemory(function, bytes);
          }
          long rounded = ByteSize.roundUp(bytes, ALIGNMENT);
          long address = engine.space.deviceArena.allocate(rounded, ALIGNMENT);
          if (address < 0) {
            device.budget.release(rounded);
            throw engine.outOfMemory(function, bytes);
          }
          engine.space.add(
              Region.backed(
                  RegionKind.PLAIN,
                  device.ordinal,
                  address,
                  bytes,
                  physical(device, rounded, address)));
          engine.checker.memory.allocated("allocation", device.ordinal, address, bytes);
          engine.openHandles.add(LeakKind.ALLOCATION, device.ordinal, address, bytes);
          return address;
        },
        Long::longValue);
  }

  static PhysicalMemory physical(DeviceCore device, long bytes, long salt) {
    Engine engine = device.engine;
    return new PhysicalMemory(
        bytes, engine.bytes ? new SparseBytes(bytes, engine.seed + salt) : null);
  }

  /**
   * Frees plain memory, or memory of a driver pool. The latter returns to its pool at once: the
   * driver assumes that all its work is done, and waits for nothing.
   */
  @Override
  public void free(long address) {
    device.recording.perform(
        "free",
        step -> device.on(step).writes(address, 0),
        () -> {
          DriverFunction function = DriverFunction.MEM_FREE;
          DriverPoolChunks pool = device.poolOf(address);
          if (pool != null) {
            engine.call(function, device.ordinal, pool.sizeOf(address));
            engine.checker.memory.freedByHost(device.ordinal, address, pool.sizeOf(address), false);
            engine.openHandles.remove(LeakKind.POOL_ALLOCATION, address);
            pool.free(address);
            return;
          }
          Region region = allocationAt(address, function, null);
          engine.call(function, device.ordinal, region.bytes());
          if (engine.checker.options.strictness() == Strictness.LENIENT) {
            device.streams.finishAll(function);
            // Another thread may have freed it during the wait.
            region = allocationAt(address, function, null);
          }
          engine.checker.memory.freedByHost(device.ordinal, address, region.bytes(), true);
          engine.openHandles.remove(LeakKind.ALLOCATION, address);
          release(region);
        });
  }

  /** Frees plain memory in stream order, after the work that the stream has now. */
  void freeInOrder(long address, StreamQueue stream) {
    DriverFunction function = DriverFunction.MEM_FREE_ASYNC;
    Region region = allocationAt(address, function, stream.clock);
    stream.call(function, region.bytes());
    stream.followDefaultStream();
    engine.checker.memory.freedInOrder(address, stream.clock);
    engine.openHandles.remove(LeakKind.ALLOCATION, address);
    freeing.add(address);
    engine.timeline.whenReached(
        stream.lane,
        stream.tail(),
        () -> {
          freeing.remove(address);
          release(region);
        });
  }

  private void release(Region region) {
    long rounded = ByteSize.roundUp(region.bytes(), ALIGNMENT);
    engine.space.remove(region.start());
    engine.space.deviceArena.free(region.start(), rounded);
    device.budget.release(rounded);
  }

  /** Returns an allocation of this device; reports and refuses any other address. */
  private Region allocationAt(long address, DriverFunction function, @Nullable StreamClock stream) {
    Region region = engine.space.startingAt(address);
    if (region == null
        || region.kind() != RegionKind.PLAIN
        || region.device() != device.ordinal
        || freeing.contains(address)) {
      engine.checker.memory.invalidFree(
          device.ordinal, address, stream, engine.space.containing(address));
      throw engine.invalid(
          function, "cannot free 0x" + Long.toHexString(address) + ": not an allocation's address");
    }
    return region;
  }
}
