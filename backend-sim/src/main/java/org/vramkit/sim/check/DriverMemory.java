package org.vramkit.sim.check;

import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.check.MissingOrder.Suspicion;
import org.vramkit.sim.check.MissingOrder.Verdict;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.memory.Region;

/**
 * Judges how the driver's memory comes and goes. Freeing or unmapping by the host is right only
 * when the host knows all accesses to be done; then their history is dropped, so that a page that
 * appears elsewhere starts clean. Guarded by the backend's lock.
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
    handOut(block, owners.driver.lastFreed(device, bytes));
  }

  /** Memory that may be used as of a point of a stream; where it was before, or 0 if it is new. */
  public void allocated(
      String kind, int device, long start, long bytes, StreamClock stream, long recycled) {
    OwnedBlock before = owners.driver.dead.at(recycled);
    Operation allocation = operations.ofDriver("allocate", AccessKind.ALLOCATE, stream);
    OwnedBlock block =
        OwnedBlock.inStreamOrder(owners.nextId(), kind, "", device, start, bytes, allocation);
    handOut(block, before);
  }

  private void handOut(OwnedBlock block, @Nullable OwnedBlock before) {
    block.succeeds(before);
    owners.forgetDead(block.start, block.end);
    owners.driver.add(block);
    unwritten.handedOut(block);
  }

  /** Memory is about to appear behind addresses, which no suspension of a pool concerns then. */
  public void mapping(long start, long bytes) {
    owners.pools.resume(start, start + bytes);
  }

  /** Physical memory that never was behind addresses appeared at some. */
  public void mapped(int device, long start, long bytes) {
    Operation map = operations.hostPoint("map", AccessKind.ALLOCATE);
    owners.pools.dead.forget(start, start + bytes);
    unwritten.handedOut(OwnedBlock.atOnce(0, "mapping", device, start, bytes, map));
  }

  /**
   * Memory appeared at a second place. What was submitted for it at the first one may still be
   * running, so it counts as done at the second.
   */
  public void mappedAgain(long first, long second, long bytes) {
    if (enabled) {
      history.copy(first, second, bytes);
    }
  }

  /**
   * The host freed memory.
   *
   * @param waits whether the driver waits for the device, as it does with plain memory in fact
   */
  public void freedByHost(int device, long start, long bytes, boolean waits) {
    Operation free = operations.byHost("free", AccessKind.FREE);
    Set<Integer> users = history.users(start, start + bytes);
    takeAway(HazardCode.FREE_IN_FLIGHT, free, AccessKind.FREE, device, start, bytes);
    OwnedBlock block = owners.driver.liveAt(start);
    if (block != null) {
      if (enabled && block.birth != null && !block.birth.isBefore(hosts.allOfCaller())) {
        String remedy = "wait for the allocating stream before freeing";
        order
            .before(free)
            .addBirth(block, freedTooEarly(block, block.birth, free, remedy))
            .report();
      }
      owners.driver.free(block, free);
      // What a pool gives back, and when, is nothing that a program relies on.
      if (waits && !hosts.isInPool()) {
        order.freed(free, block, users, clocks.submitted(device));
      }
    }
  }

  public void unmapped(int device, long start, long bytes) {
    Operation unmap = operations.byHost("unmap", AccessKind.UNMAP);
    takeAway(HazardCode.UNMAP_UNDER_WORK, unmap, AccessKind.UNMAP, device, start, bytes);
  }

  private void takeAway(
      HazardCode code, Operation by, AccessKind kind, int device, long start, long bytes) {
    long end = start + bytes;
    Conflict pending = enabled ? history.conflictHere(hosts.allOfCaller(), start, end) : null;
    if (pending != null) {
      TakenEarly taken = TakenEarly.of(pending, owners);
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

  /** Memory at the concerned addresses is closed to a device that was let use it. */
  public void closed(int device, LongPredicate concerned) {
    Conflict pending = enabled ? history.conflictOf(device, hosts.all, concerned) : null;
    if (pending == null) {
      return;
    }
    Operation close = operations.hostPoint("end of access", AccessKind.UNMAP);
    reports
        .find(HazardCode.PEER_NOT_ENABLED)
        .on(device)
        .in(owners.liveContaining(pending.start()))
        .between(pending, close, AccessKind.UNMAP, pending.start(), pending.end())
        .report("wait for the streams of the other device before taking its access away");
  }

  public void freedInOrder(long start, StreamClock stream) {
    OwnedBlock block = owners.driver.liveAt(start);
    if (block == null) {
      return;
    }
    Operation free = operations.ofDriver("free", AccessKind.FREE, stream);
    if (enabled) {
      judgeOrder(block, free);
    }
    forget(start, block.end);
    owners.driver.free(block, free);
  }

  private void judgeOrder(OwnedBlock block, Operation free) {
    Verdict verdict = order.before(free);
    Operation birth = block.birth;
    if (birth != null && !isKnownToPool(birth, free)) {
      String remedy = "make the freeing stream wait for the allocating one";
      verdict.addBirth(block, freedTooEarly(block, birth, free, remedy));
    }
    Conflict conflict =
        history.conflict(hosts.forCaller(free.stream), block.start, block.end, AccessKind.WRITE);
    if (conflict != null) {
      verdict.add(
          conflict.operation(),
          new Suspicion(
              HazardCode.FREE_RACE,
              finding ->
                  finding
                      .in(block)
                      .between(conflict, free, AccessKind.FREE, block.start, block.end),
              "make the freeing stream wait for every stream that used the memory"));
    }
    verdict.report();
  }

  private static Suspicion freedTooEarly(
      OwnedBlock block, Operation birth, Operation free, String remedy) {
    return new Suspicion(
        HazardCode.FREE_BEFORE_ALLOC,
        finding ->
            finding
                .in(block)
                .earlier(birth, AccessKind.ALLOCATE, block.start, block.end)
                .later(free, AccessKind.FREE, block.start, block.end)
                .unordered(birth, free),
        remedy);
  }

  private boolean isKnownToPool(Operation birth, Operation free) {
    return hosts.isInPool() && birth.isBefore(hosts.forPools(free.stream));
  }

  private void forget(long start, long end) {
    history.forget(start, end);
    unwritten.settled(start, end);
    owners.pools.drop(start, end);
  }

  /**
   * Judges a free of what is not the driver's, or its pool's, to take. Addresses are not handed out
   * again for a long time, so a second free never meets a new owner; where the memory has one by
   * now, the report names it, because on a device its address may well be the same.
   *
   * @param stream null for a plain free
   * @param region what the address belongs to, if anything
   */
  public void wronglyFreed(
      int device, long address, @Nullable StreamClock stream, @Nullable Region region) {
    if (!enabled) {
      return;
    }
    Operation free =
        stream == null
            ? operations.hostPoint("free", AccessKind.FREE)
            : operations.point("free", AccessKind.FREE, stream);
    OwnedBlock live = owners.driver.liveContaining(address);
    OwnedBlock dead = live == null ? owners.driver.dead.at(address) : null;
    if (dead != null) {
      freedAgain(dead, address, free);
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

  private void freedAgain(OwnedBlock dead, long address, Operation free) {
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

  /**
   * Memory that the host takes away under pending work, and whose fault that is. A pool unmaps or
   * frees pages of blocks that were closed, after what it knows of them: their own streams and the
   * recorded uses. What it did not know of, the block's user has not told.
   */
  private record TakenEarly(Operation pending, @Nullable OwnedBlock owner) {
    static TakenEarly of(Conflict conflict, Owners owners) {
      return new TakenEarly(conflict.operation(), owner(conflict, owners));
    }

    /** The user of a pool, who may have closed it by now, before the pool; null for nobody. */
    private static @Nullable OwnedBlock owner(Conflict conflict, Owners owners) {
      Ownership pool = owners.poolAt(conflict.start());
      OwnedBlock live = pool.overlapping(conflict.start(), conflict.end());
      if (live != null) {
        return live;
      }
      OwnedBlock closed = pool.dead.overlapping(conflict.start(), conflict.end());
      return closed == null ? owners.liveContaining(conflict.start()) : closed;
    }

    /**
     * Returns the close of the block, if its pool was not told of the stream of the pending work.
     */
    private @Nullable Operation unrecordedClose() {
      return owner == null || owner.users.contains(pending.stream) ? null : owner.death;
    }

    /** What is missing before memory is taken away by an operation. */
    String missing(Operation by) {
      String order = Finding.missingOrder(pending, by.stream);
      Operation close = unrecordedClose();
      return close == null
          ? order
          : "%s: it used the block, which operation %s closed on %s, and nobody had recorded that use"
              .formatted(order, close.index(), close.stream.name);
    }

    String remedy() {
      return unrecordedClose() == null
          ? "wait for the stream, or ask it until it is idle, before taking memory away"
          : ("call recordUse for %s on the block before closing it, or close it after that work is"
                  + " done")
              .formatted(pending.stream.name);
    }
  }
}
