package org.vramkit.sim.check;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.check.OrderRule.Candidate;
import org.vramkit.sim.check.OrderRule.OrderCheck;
import org.vramkit.sim.check.Owners.BlockMap;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.memory.AddressSpace.Region;

/**
 * Checks allocation and release of the driver's memory. The host may free or unmap memory only when
 * it knows that all accesses are complete. The history of these accesses is then dropped, so that a
 * page that is mapped elsewhere has no history. Guarded by the backend's lock.
 */
public final class DriverMemory extends MemoryRules {
  private final Clocks clocks;

  DriverMemory(MemoryRules shared, Clocks clocks) {
    super(shared);
    this.clocks = clocks;
  }

  public void allocated(String kind, int device, long start, long bytes) {
    Operation allocation = operations.hostPoint("allocate", AccessKind.ALLOCATE);
    OwnedBlock block = OwnedBlock.atOnce(owners.nextId(), kind, device, start, bytes, allocation);
    add(block, owners.driver.lastFreed(device, bytes));
  }

  /** Adds a variable of a module, whose bytes the module has set. */
  public void variable(String name, int device, long start, long bytes) {
    allocated("variable " + name, device, start, bytes);
    unwritten.written(start, start + bytes);
  }

  /** Removes a variable of a module; the driver waits for the kernels of the module. */
  public void variableGone(long start, long bytes) {
    OwnedBlock block = owners.driver.liveAt(start);
    if (block != null) {
      owners.driver.free(block, operations.hostPoint("unload", AccessKind.FREE));
    }
    forget(start, start + bytes);
  }

  /**
   * Adds memory that is usable from a point of a stream on. {@code recycled} is the previous
   * address of reused memory; 0 for new memory.
   */
  public void allocated(
      String kind, int device, long start, long bytes, StreamClock stream, long recycled) {
    OwnedBlock before = owners.driver.freed.at(recycled);
    Operation allocation = operations.ofDriver("allocate", AccessKind.ALLOCATE, stream);
    OwnedBlock block =
        OwnedBlock.inStreamOrder(owners.nextId(), kind, "", device, start, bytes, allocation);
    add(block, before);
  }

  private void add(OwnedBlock block, @Nullable OwnedBlock before) {
    block.setPrevious(before);
    owners.forgetFreed(block.start, block.end);
    owners.driver.add(block);
    unwritten.allocated(block);
  }

  /** Ends the suspension of addresses to which memory is about to be mapped. */
  public void mapping(long start, long bytes) {
    owners.pools.resume(start, start + bytes);
  }

  /** Adds physical memory that is mapped for the first time. */
  public void mapped(int device, long start, long bytes) {
    Operation map = operations.hostPoint("map", AccessKind.ALLOCATE);
    owners.pools.freed.forget(start, start + bytes);
    unwritten.allocated(OwnedBlock.atOnce(0, "mapping", device, start, bytes, map));
  }

  /**
   * Maps memory at a second address. Work submitted for the first address may still be running, so
   * its accesses count for the second one as well.
   */
  public void mappedAgain(long first, long second, long bytes) {
    if (enabled) {
      history.copy(first, second, bytes);
    }
  }

  /**
   * Checks a free by the host.
   *
   * @param waits whether today's driver waits for the device, as it does for plain memory
   */
  public void freedByHost(int device, long start, long bytes, boolean waits) {
    Operation free = operations.byHost("free", AccessKind.FREE);
    Set<Integer> users = history.users(start, start + bytes);
    remove(HazardCode.FREE_IN_FLIGHT, free, AccessKind.FREE, device, start, bytes);
    OwnedBlock block = owners.driver.liveAt(start);
    if (block != null) {
      if (enabled
          && block.virtualWrite != null
          && !block.virtualWrite.isBefore(hosts.allOfCaller())) {
        String remedy = "wait for the allocating stream before freeing";
        order
            .before(free)
            .addAllocation(block, freedTooEarly(block, block.virtualWrite, free, remedy))
            .report();
      }
      owners.driver.free(block, free);
      // A program cannot rely on the wait of such a free, because the pool decides when to free.
      if (waits && !hosts.isInPool()) {
        order.freed(free, block, users, clocks.submitted(device));
      }
    }
  }

  public void unmapped(int device, long start, long bytes) {
    Operation unmap = operations.byHost("unmap", AccessKind.UNMAP);
    remove(HazardCode.UNMAP_UNDER_WORK, unmap, AccessKind.UNMAP, device, start, bytes);
  }

  private void remove(
      HazardCode code, Operation by, AccessKind kind, int device, long start, long bytes) {
    long end = start + bytes;
    Conflict pending = enabled ? history.pendingHere(hosts.allOfCaller(), start, end) : null;
    if (pending != null) {
      EarlyRemoval taken = EarlyRemoval.of(pending, owners);
      reports
          .find(code)
          .on(device)
          .in(taken.owner())
          .between(pending, by, kind, start, end)
          .missing(taken.missing(by))
          .report(taken.remedy());
    }
    forget(start, end);
  }

  /**
   * Checks that the work of a device at the given addresses is known to be done when the device
   * loses its access to them.
   */
  public void closed(int device, LongPredicate concerned) {
    if (enabled) {
      closed(HazardCode.PEER_NOT_ENABLED, device, history.conflictOf(device, hosts.all, concerned));
    }
  }

  /** Checks the same when a device loses its access to a range of mapped memory. */
  public void closed(int device, long start, long end) {
    if (enabled) {
      closed(
          HazardCode.ACCESS_NOT_MAPPED, device, history.conflictOf(device, hosts.all, start, end));
    }
  }

  private void closed(HazardCode code, int device, @Nullable Conflict pending) {
    if (pending == null) {
      return;
    }
    Operation close = operations.hostPoint("end of access", AccessKind.UNMAP);
    reports
        .find(code)
        .on(device)
        .in(owners.liveContaining(pending.start()))
        .between(pending, close, AccessKind.UNMAP, pending.start(), pending.end())
        .report("wait for the streams of device " + device + " before taking its access away");
  }

  public void freedInOrder(long start, StreamClock stream) {
    OwnedBlock block = owners.driver.liveAt(start);
    if (block == null) {
      return;
    }
    Operation free = operations.ofDriver("free", AccessKind.FREE, stream);
    if (enabled) {
      checkOrder(block, free);
    }
    forget(start, block.end);
    owners.driver.free(block, free);
  }

  private void checkOrder(OwnedBlock block, Operation free) {
    OrderCheck check = order.before(free);
    Operation virtualWrite = block.virtualWrite;
    if (virtualWrite != null && !isKnownToPool(virtualWrite, free)) {
      check.addAllocation(
          block, freedTooEarly(block, virtualWrite, free, howToFreeAfter(block, free)));
    }
    Conflict conflict =
        history.conflict(hosts.forCaller(free.stream), block.start, block.end, AccessKind.WRITE);
    if (conflict != null) {
      check.add(
          conflict.operation(),
          new Candidate(
              HazardCode.FREE_RACE,
              finding ->
                  finding
                      .in(block)
                      .between(conflict, free, AccessKind.FREE, block.start, block.end),
              "make the freeing stream wait for every stream that used the memory"));
    }
    check.report();
  }

  /** Returns the remedy for a free before the allocation; it names the last use of each stream. */
  private String howToFreeAfter(OwnedBlock block, Operation free) {
    Order point = hosts.forCaller(free.stream);
    Map<StreamClock, Operation> last = new LinkedHashMap<>();
    last.put(block.allocated.stream, block.allocated);
    for (Operation use : history.conflicts(point, block.start, block.end)) {
      last.merge(use.stream, use, (one, two) -> two.index() > one.index() ? two : one);
    }
    return last.values().stream()
        .map(use -> namedAfter(use, block))
        .collect(Collectors.joining(", and for ", "make the freeing stream wait for ", ""));
  }

  private static String namedAfter(Operation use, OwnedBlock block) {
    String stream = use.stream == block.allocated.stream ? "the allocating one" : use.stream.name;
    return use == block.allocated
        ? stream
        : "%s after operation %s, its last on this memory".formatted(stream, use.index());
  }

  private static Candidate freedTooEarly(
      OwnedBlock block, Operation virtualWrite, Operation free, String remedy) {
    return new Candidate(
        HazardCode.FREE_BEFORE_ALLOC,
        finding ->
            finding
                .in(block)
                .earlier(virtualWrite, AccessKind.ALLOCATE, block.start, block.end)
                .later(free, AccessKind.FREE, block.start, block.end)
                .unordered(virtualWrite, free),
        remedy);
  }

  private boolean isKnownToPool(Operation virtualWrite, Operation free) {
    return hosts.isInPool() && virtualWrite.isBefore(hosts.forPools(free.stream));
  }

  private void forget(long start, long end) {
    history.forget(start, end);
    unwritten.written(start, end);
    owners.pools.drop(start, end);
  }

  /**
   * Reports a free that the driver refuses. The simulator does not reuse freed addresses for a long
   * time, so a second free never hits a new owner. A real device may reuse an address at once, so
   * the report names the memory's new owner if it has one.
   *
   * @param stream null for a plain free
   * @param region the region of the address; null if there is none
   */
  public void invalidFree(
      int device, long address, @Nullable StreamClock stream, @Nullable Region region) {
    if (!enabled) {
      return;
    }
    Operation free =
        stream == null
            ? operations.hostPoint("free", AccessKind.FREE)
            : operations.point("free", AccessKind.FREE, stream);
    OwnedBlock live = owners.driver.liveContaining(address);
    OwnedBlock freed = live == null ? owners.driver.freed.at(address) : null;
    if (freed != null) {
      freedAgain(freed, address, free);
    } else if (live != null) {
      HazardBuilder finding = found(HazardCode.INVALID_FREE, device, address, free).in(live);
      misplaced(finding, live, device, address);
    } else if (region != null) {
      found(HazardCode.INVALID_FREE, device, address, free)
          .in(region)
          .missing("an allocation: the address lies in a " + region)
          .report(
              "release memory by the counterpart of its allocation: close a buffer,"
                  + " unreserve a reservation");
    } else {
      found(HazardCode.INVALID_FREE, device, address, free)
          .missing("an allocation that starts at the address")
          .report("free each allocation once, by its start address");
    }
  }

  private HazardBuilder found(HazardCode code, int device, long address, Operation free) {
    return reports.find(code).on(device).later(free, AccessKind.FREE, address, address);
  }

  private void freedAgain(OwnedBlock freed, long address, Operation free) {
    OwnedBlock successor = freed.liveSuccessor();
    found(
            successor == null ? HazardCode.DOUBLE_FREE : HazardCode.STALE_HANDLE,
            freed.device,
            address,
            free)
        .inFreed(freed)
        .missing(
            successor == null
                ? "an allocation that starts at the address: it was freed before"
                : "the memory now belongs to the " + successor.toOwner())
        .report("free each allocation once, and do not use its address afterwards");
  }

  private static void misplaced(HazardBuilder finding, OwnedBlock live, int device, long address) {
    if (live.device != device) {
      finding
          .missing("it belongs to device %s, not to device %s".formatted(live.device, device))
          .report("free memory through the device that it was allocated from");
    } else if (live.start != address) {
      finding
          .missing(
              "the address lies %s inside the allocation"
                  .formatted(ByteSize.format(address - live.start)))
          .report("free an allocation by its start address");
    } else {
      finding
          .missing("it was allocated by another function: it is a " + live.kind)
          .report(
              "free memory by the counterpart of the function that allocated it, through the"
                  + " same pool");
    }
  }

  /**
   * Memory that the host removes under pending work, and its owner. Before a pool removes the
   * memory of a closed block, it waits for the work that it knows of: the work of the block's
   * stream and of the recorded ones. Pending work of another stream means that its use was not
   * recorded.
   */
  private record EarlyRemoval(Operation pending, @Nullable OwnedBlock owner) {
    static EarlyRemoval of(Conflict conflict, Owners owners) {
      return new EarlyRemoval(conflict.operation(), owner(conflict, owners));
    }

    /** Returns the innermost owner, a block of a pool or an allocation; null if there is none. */
    private static @Nullable OwnedBlock owner(Conflict conflict, Owners owners) {
      BlockMap pool = owners.poolAt(conflict.start());
      OwnedBlock live = pool.overlapping(conflict.start(), conflict.end());
      if (live != null) {
        return live;
      }
      OwnedBlock closed = pool.freed.overlapping(conflict.start(), conflict.end());
      return closed == null ? owners.liveContaining(conflict.start()) : closed;
    }

    /** Returns the block's close if the stream of the pending work was not recorded; else null. */
    private @Nullable Operation unrecordedClose() {
      return owner == null || owner.users.contains(pending.stream) ? null : owner.freed;
    }

    /** Describes the order that is missing before an operation removes the memory. */
    String missing(Operation by) {
      String order = HazardBuilder.missingOrder(pending, by.stream);
      Operation close = unrecordedClose();
      return close == null
          ? order
          : "%s: it used the block, which operation %s closed on %s, and the use was not recorded"
              .formatted(order, close.index(), close.stream.name);
    }

    String remedy() {
      if (unrecordedClose() == null || owner == null) {
        return (pending.closedGate() == null ? "" : "open the gate that holds the work, and ")
            + pending.howToWait("wait for the stream, or query it until it is idle")
            + ", before removing the memory";
      }
      return pending.device() == owner.device
          ? ("call recordUse for %s on the block before closing it, or close it after that work is"
                  + " done")
              .formatted(pending.stream.name)
          : "close the block after that work of %s is done".formatted(pending.stream.name);
    }
  }
}
