package org.vramkit.sim;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.check.StreamClock;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.AddressSpace.RegionKind;
import org.vramkit.sim.memory.PhysicalMemory;
import org.vramkit.sim.memory.SparseBytes;

/**
 * Plain allocation. A free waits for the device, as every driver does. CUDA does not specify this,
 * so the checker does not count the wait unless it is lenient.
 */
final class SimDeviceMemory implements DeviceMemory, Unsettled {
  private final DeviceCore device;
  private final Engine engine;

  /** An allocation that was freed in stream order. */
  private record Freed(Region region, StreamQueue stream, long number) {}

  /** Allocations freed in stream order that are not settled. */
  private final List<Freed> freed = new ArrayList<>();

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
          Engine.requirePositive(bytes);
          engine.callForMemory(function, device.ordinal, bytes, device.budget.getFree());
          long address = device.blocks.allocate(bytes);
          if (address < 0) {
            throw engine.outOfMemory(function, bytes);
          }
          engine.space.add(
              Region.backed(
                  RegionKind.PLAIN,
                  device.ordinal,
                  address,
                  bytes,
                  physical(device, bytes, address)));
          engine.checker.memory.allocated("allocation", device.ordinal, address, bytes);
          engine.openHandles.add(LeakKind.ALLOCATION, device.ordinal, address, bytes);
          return address;
        },
        Long::longValue);
  }

  static PhysicalMemory physical(DeviceCore device, long bytes, long salt) {
    Engine engine = device.engine;
    return new PhysicalMemory(
        device.ordinal, bytes, engine.bytes ? new SparseBytes(bytes, engine.seed + salt) : null);
  }

  /**
   * Frees plain memory, or memory of a driver pool, of any device. The latter returns to its pool
   * at once: the driver assumes that all its work is done, and waits for nothing.
   */
  @Override
  public void free(long address) {
    device.recording.perform(
        "free",
        step -> device.on(step).writes(address, 0),
        () -> {
          if (engine.isLost(device.ordinal) || engine.isClosed()) {
            engine.openHandles.remove(LeakKind.ALLOCATION, address);
            return;
          }
          DriverFunction function = DriverFunction.MEM_FREE;
          if (address == 0) {
            throw new InvalidArgumentException(
                "cannot free address 0; pass an address that allocate() returned");
          }
          engine.requireSafe(function);
          DriverPoolMemory pool = device.anyPoolOf(address);
          if (pool != null) {
            pool.requireOpen(address);
            engine.call(function, pool.ordinal(), pool.sizeOf(address));
            engine.checker.memory.freedByHost(pool.ordinal(), address, pool.sizeOf(address), false);
            engine.openHandles.remove(LeakKind.POOL_ALLOCATION, address);
            pool.free(address);
            return;
          }
          Region managed = engine.space.startingAt(address);
          if (managed != null && managed.kind() == RegionKind.MANAGED) {
            freeManaged(managed);
            return;
          }
          requireNotFreedInOrder(address, function);
          Region region = allocationAt(address, function, null);
          DeviceCore owner = device.all.get(region.device());
          engine.call(function, owner.ordinal, region.bytes());
          owner.streams.finishAll(function, owner.waitsCount());
          // Another thread may have freed it during the wait.
          region = allocationAt(address, function, null);
          engine.checker.memory.freedByHost(owner.ordinal, address, region.bytes(), true);
          engine.openHandles.remove(LeakKind.ALLOCATION, address);
          engine.space.remove(address);
          owner.blocks.free(address);
        });
  }

  /** Refuses a second free, as the CUDA backends do before any driver call. */
  private void requireNotFreedInOrder(long address, DriverFunction function) {
    if (engine.openHandles.isFreedInOrder(address)) {
      engine.checker.memory.invalidFree(device.ordinal, address, null, null);
      throw new InvalidArgumentException(
          "cannot free 0x%x by %s: it was freed in stream order"
              .formatted(address, function.getFunctionName()));
    }
  }

  /** Frees a managed buffer, whose close is then refused. */
  private void freeManaged(Region region) {
    DriverFunction function = DriverFunction.MEM_FREE;
    DeviceCore owner = device.all.get(region.device());
    engine.call(function, owner.ordinal, region.bytes());
    owner.streams.finishAll(function, owner.waitsCount());
    HostBytes bytes = HostBytes.at(engine.space, region.start());
    if (bytes != null) {
      SimPinnedBuffer.release(engine, region.start(), bytes, function);
    }
  }

  /** Frees plain memory of any device in stream order, after the work that the stream has now. */
  void freeInOrder(long address, StreamQueue stream) {
    DriverFunction function = DriverFunction.MEM_FREE_ASYNC;
    Region managed = engine.space.startingAt(address);
    if (managed != null && managed.kind() == RegionKind.MANAGED) {
      throw engine.notSupported(function, "cannot free managed memory in stream order: " + managed);
    }
    Region region = allocationAt(address, function, stream.clock);
    stream.call(function, region.bytes());
    stream.followDefaultStream();
    engine.checker.memory.freedInOrder(address, stream.clock);
    engine.openHandles.removeInOrder(address);
    engine.space.retire(region);
    freed.add(new Freed(region, stream, stream.freed(this)));
  }

  @Override
  public boolean settle(StreamQueue stream, long first) {
    boolean[] remains = new boolean[1];
    freed.removeIf(
        each -> {
          boolean settled = each.stream == stream && each.number <= first;
          if (settled) {
            engine.space.removeRetired(each.region);
            device.all.get(each.region.device()).blocks.free(each.region.start());
          }
          remains[0] |= !settled && each.stream == stream;
          return settled;
        });
    return remains[0];
  }

  /** Returns a live allocation; reports and refuses any other address. */
  private Region allocationAt(long address, DriverFunction function, @Nullable StreamClock stream) {
    Region region = engine.space.startingAt(address);
    if (region == null || region.kind() != RegionKind.PLAIN) {
      engine.checker.memory.invalidFree(
          device.ordinal, address, stream, engine.space.containing(address));
      throw engine.invalid(
          function, "cannot free 0x" + Long.toHexString(address) + ": not an allocation's address");
    }
    return region;
  }
}
