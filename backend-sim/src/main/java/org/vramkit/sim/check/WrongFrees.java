package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.memory.Region;

/**
 * Judges frees of addresses that are not the driver's to take. Addresses are not handed out again
 * for a long time, so a second free never meets a new owner; where the memory has one by now, the
 * report names it, because on a device its address may well be the same.
 */
final class WrongFrees extends MemoryRules {
  WrongFrees(MemoryRules shared) {
    super(shared);
  }

  /** Reports one; the region is what the address belongs to otherwise, if anything. */
  void report(int device, long address, Operation free, @Nullable Region region) {
    OwnedBlock live = owners.driver.liveContaining(address);
    OwnedBlock dead = live == null ? owners.driver.dead.at(address) : null;
    if (dead != null) {
      again(dead, address, free);
    } else if (live != null) {
      Finding finding = found(HazardCode.INVALID_FREE, device, address, free).in(live);
      misplaced(finding, live, device, address);
    } else if (region != null) {
      found(HazardCode.INVALID_FREE, device, address, free)
          .in(region)
          .missing("an allocation: the address lies in a " + region)
          .report("give it back where it came from: close a buffer, unreserve a reservation");
    } else {
      found(HazardCode.INVALID_FREE, device, address, free)
          .missing("an allocation that starts at the address")
          .report("free each allocation once, by the address it was given");
    }
  }

  private Finding found(HazardCode code, int device, long address, Operation free) {
    return reports.find(code).on(device).later(free, AccessKind.FREE, address, address);
  }

  private void again(OwnedBlock dead, long address, Operation free) {
    OwnedBlock heir = dead.liveHeir();
    found(
            heir == null ? HazardCode.DOUBLE_FREE : HazardCode.STALE_HANDLE,
            dead.device,
            address,
            free)
        .inFreed(dead)
        .missing(
            heir == null
                ? "an allocation that starts at the address: it was freed before"
                : "the memory belongs to the " + heir.toOwner() + " by now")
        .report("free each allocation once, and forget its address then");
  }

  private static void misplaced(Finding finding, OwnedBlock live, int device, long address) {
    if (live.device != device) {
      finding
          .missing("it is of device %s, not of device %s".formatted(live.device, device))
          .report("free memory through the device that it was allocated from");
    } else if (live.start != address) {
      finding
          .missing(
              "the address lies %s inside the allocation"
                  .formatted(ByteSize.format(address - live.start)))
          .report("free an allocation by the address it was given");
    } else {
      finding
          .missing("it was not allocated by what is to free it: it is a " + live.kind)
          .report("free memory by the counterpart of what allocated it, through the same pool");
    }
  }
}
