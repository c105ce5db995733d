package org.vramkit.sim;

import java.util.List;
import java.util.Objects;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.Mappings;
import org.vramkit.sim.memory.Mappings.Mapping;
import org.vramkit.sim.memory.PhysicalMemory;
import org.vramkit.sim.memory.VirtualRange;

/**
 * Virtual memory: addresses, and physical memory that is mapped at them, with the driver's rules
 * for arguments. No call waits for work.
 */
final class SimVirtualMemory implements VirtualMemory {
  private static final long GRANULARITY = 2 * ByteSize.MIB;

  private final DeviceCore device;
  private final Engine engine;

  SimVirtualMemory(DeviceCore device) {
    this.device = device;
    this.engine = device.engine;
  }

  @Override
  public long getGranularity() {
    return GRANULARITY;
  }

  /** Refuses what is not a multiple of the granularity, before any driver call. */
  private void requireAligned(DriverFunction function, String what, long value) {
    if (value % GRANULARITY != 0 || value <= 0) {
      String reason = what + " must be a multiple of " + GRANULARITY + " above 0: " + value;
      engine.checker.apiErrors.refused(function.getFunctionName(), reason);
      throw new InvalidArgumentException(reason);
    }
  }

  private void requireRange(DriverFunction function, long address, long bytes) {
    requireAligned(function, "size", bytes);
    requireAligned(function, "address", address);
  }

  @Override
  public long reserve(long bytes) {
    return device.recording.make(
        "reserve",
        step -> device.on(step).value(bytes),
        () -> {
          DriverFunction function = DriverFunction.MEM_ADDRESS_RESERVE;
          requireAligned(function, "size", bytes);
          engine.call(function, device.ordinal, bytes);
          long address = engine.space.reservations.allocate(bytes);
          if (address < 0) {
            throw engine.outOfMemory(function, bytes);
          }
          engine.space.add(Region.reserved(device.ordinal, address, bytes, GRANULARITY));
          engine.openHandles.add(LeakKind.RESERVATION, device.ordinal, address, bytes);
          return address;
        },
        Long::longValue);
  }

  @Override
  public void unreserve(long address, long bytes) {
    device.recording.perform(
        "unreserve",
        step -> device.on(step).writes(address, bytes),
        () -> {
          if (engine.isLost(device.ordinal)) {
            return;
          }
          DriverFunction function = DriverFunction.MEM_ADDRESS_FREE;
          requireRange(function, address, bytes);
          Region region = engine.space.startingAt(address);
          Mappings pages = region == null ? null : region.pages();
          if (region == null || pages == null || region.bytes() != bytes) {
            throw refused(
                function, "not a whole reservation: " + bytes + " bytes at " + hex(address));
          }
          if (pages.getCount() > 0) {
            throw refused(function, pages.getCount() + " mappings are left in the reservation");
          }
          engine.call(function, device.ordinal, bytes);
          engine.space.remove(address);
          engine.space.reservations.free(address, bytes);
          engine.openHandles.remove(LeakKind.RESERVATION, address);
        });
  }

  @Override
  public long create(long bytes) {
    return device.recording.make(
        "create-physical",
        step -> device.on(step).value(bytes),
        () -> {
          DriverFunction function = DriverFunction.MEM_CREATE;
          requireAligned(function, "size", bytes);
          engine.callForMemory(function, device.ordinal, bytes, device.budget.getFree());
          if (!device.reserve(bytes)) {
            throw engine.outOfMemory(function, bytes);
          }
          long handle = device.newHandle();
          engine.physical.put(handle, SimDeviceMemory.physical(device, bytes, handle));
          engine.openHandles.add(LeakKind.PHYSICAL_MEMORY, device.ordinal, handle, bytes);
          return handle;
        },
        Long::longValue);
  }

  @Override
  public void release(long handle) {
    device.recording.perform(
        "release-physical",
        step -> device.on(step, handle),
        () -> {
          if (engine.isLost(device.ordinal)) {
            return;
          }
          DriverFunction function = DriverFunction.MEM_RELEASE;
          PhysicalMemory physical = known(function, handle);
          engine.call(function, device.ordinal, physical.bytes);
          engine.physical.remove(handle);
          physical.release();
          engine.openHandles.remove(LeakKind.PHYSICAL_MEMORY, handle);
          releaseUnlessUsed(physical);
        });
  }

  private void releaseUnlessUsed(PhysicalMemory physical) {
    if (physical.isReleased() && !physical.isMapped()) {
      device.all.get(physical.device).budget.release(physical.bytes);
    }
  }

  private PhysicalMemory known(DriverFunction function, long handle) {
    PhysicalMemory physical = engine.physical.get(handle);
    if (physical == null) {
      // The CUDA backends refuse it before any driver call.
      String reason = "no physical memory has the handle " + hex(handle);
      engine.checker.apiErrors.refused(function.getFunctionName(), reason);
      throw new InvalidArgumentException(reason);
    }
    return physical;
  }

  @Override
  public void map(long address, long bytes, long handle) {
    device.recording.perform(
        "map",
        step -> device.on(step, handle).writes(address, bytes),
        () -> {
          DriverFunction function = DriverFunction.MEM_MAP;
          requireRange(function, address, bytes);
          PhysicalMemory physical = known(function, handle);
          List<Mapping> before = reserved(function, address, bytes).getMappings();
          if (physical.bytes != bytes) {
            String reason =
                "the whole handle must be mapped: it has %s bytes, not %s"
                    .formatted(physical.bytes, bytes);
            engine.checker.apiErrors.refused(function.getFunctionName(), reason);
            throw engine.notSupported(function, reason);
          }
          if (!before.isEmpty()) {
            throw refused(function, "memory is already mapped at " + hex(address));
          }
          engine.call(function, device.ordinal, bytes);
          engine.checker.memory.mapping(address, bytes);
          if (physical.isFresh()) {
            engine.checker.memory.mapped(device.ordinal, address, bytes);
          }
          for (long other : physical.getAddresses()) {
            engine.checker.memory.mappedAgain(other, address, bytes);
          }
          physical.addMapping(address);
          VirtualRange.add(engine.space, new Mapping(address, physical));
          engine.openHandles.add(LeakKind.MAPPING, device.ordinal, address, bytes);
        });
  }

  /** Returns a range of addresses that are all reserved, perhaps across several reservations. */
  private VirtualRange reserved(DriverFunction function, long address, long bytes) {
    VirtualRange range = new VirtualRange(engine.space, address, bytes);
    if (!range.isReserved()) {
      throw refused(
          function, bytes + " bytes at " + hex(address) + " are not inside a reservation");
    }
    return range;
  }

  @Override
  public void setAccess(long address, long bytes, Device accessor) {
    changeAccess("set-access", address, bytes, accessor, true);
  }

  @Override
  public void removeAccess(long address, long bytes, Device accessor) {
    changeAccess("remove-access", address, bytes, accessor, false);
  }

  private void changeAccess(
      String call, long address, long bytes, Device accessor, boolean allowed) {
    Objects.requireNonNull(accessor, "device");
    device.recording.perform(
        call,
        step -> device.on(step).writes(address, bytes).value(accessor.getOrdinal()),
        () -> {
          DriverFunction function = DriverFunction.MEM_SET_ACCESS;
          requireRange(function, address, bytes);
          device.requireOfBackend(accessor);
          VirtualRange range = reserved(function, address, bytes);
          List<Mapping> mappings = range.getMappings();
          if (!range.isBoundedBy(mappings)) {
            throw refused(
                function,
                bytes + " bytes at " + hex(address) + " do not begin and end with a mapping");
          }
          engine.callOnRange(function, device.ordinal, bytes, sizes(mappings));
          if (allowed && mappings.stream().anyMatch(each -> opensToOther(each, accessor))) {
            engine.costsMore(engine.costs.getOtherDeviceNanos(function));
          }
          // The driver goes no further than to the first hole.
          long end = address;
          for (Mapping mapping : mappings) {
            if (mapping.start() == end) {
              mapping.setAccessible(accessor.getOrdinal(), allowed);
              end = mapping.getEnd();
            }
          }
          if (!allowed) {
            engine.checker.memory.closed(accessor.getOrdinal(), address, end);
          }
        });
  }

  private static boolean opensToOther(Mapping mapping, Device accessor) {
    int other = accessor.getOrdinal();
    return mapping.physical().device != other && !mapping.isAccessible(other);
  }

  private static long[] sizes(List<Mapping> mappings) {
    long[] sizes = new long[mappings.size()];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = mappings.get(i).physical().bytes;
    }
    return sizes;
  }

  /** Unmaps all mappings of a range, which may have holes. */
  @Override
  public void unmap(long address, long bytes) {
    device.recording.perform(
        "unmap",
        step -> device.on(step).writes(address, bytes),
        () -> {
          if (engine.isLost(device.ordinal)) {
            return;
          }
          DriverFunction function = DriverFunction.MEM_UNMAP;
          requireRange(function, address, bytes);
          VirtualRange range = reserved(function, address, bytes);
          List<Mapping> mappings = range.getMappings();
          if (!range.contains(mappings)) {
            throw refused(function, bytes + " bytes at " + hex(address) + " cut a mapping");
          }
          engine.callOnRange(function, device.ordinal, bytes, sizes(mappings));
          for (Mapping mapping : mappings) {
            PhysicalMemory physical = mapping.physical();
            engine.checker.memory.unmapped(device.ordinal, mapping.start(), physical.bytes);
            VirtualRange.remove(engine.space, mapping);
            physical.removeMapping(mapping.start());
            releaseUnlessUsed(physical);
            engine.openHandles.remove(LeakKind.MAPPING, mapping.start());
          }
        });
  }

  private InvalidArgumentException refused(DriverFunction function, String reason) {
    engine.checker.apiErrors.refused(function.getFunctionName(), reason);
    return engine.invalid(function, reason);
  }

  private static String hex(long value) {
    return "0x" + Long.toHexString(value);
  }
}
