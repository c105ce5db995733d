package org.vramkit.sim.check;

import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
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
  private final WrongFrees wrongFrees;

  DriverMemory(MemoryRules shared, Clocks clocks) {
    super(shared);
    this.clocks = clocks;
    this.wrongFrees = new WrongFrees(shared);
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
    Operation allocation = operations.birth("allocate", stream);
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
            .addBirth(block.birth, freedTooEarly(block, block.birth, free, remedy))
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
    Operation free = operations.point("free", AccessKind.FREE, stream);
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
      verdict.addBirth(birth, freedTooEarly(block, birth, free, remedy));
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

  /** A free of what is not the driver's, or its pool's, to take; without a stream a plain one. */
  public void wronglyFreed(
      int device, long address, @Nullable StreamClock stream, @Nullable Region region) {
    if (enabled) {
      Operation free =
          stream == null
              ? operations.hostPoint("free", AccessKind.FREE)
              : operations.point("free", AccessKind.FREE, stream);
      wrongFrees.report(device, address, free, region);
    }
  }
}
