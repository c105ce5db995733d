package org.vramkit.pool.support;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;

/**
 * Base of allocators other than the caching one: knows the open allocations, and guards the close.
 *
 * <p>An allocation is open from its first step on, and makes the close fail. Otherwise a close may
 * wait for an allocation that itself waits, such as in a handler. A close does wait for closes of
 * handles in progress, which end by themselves. A refused close changes nothing. Thread-safe.
 */
public abstract class AllocatorBase implements Allocator {
  private final Device device;
  private final String name;
  protected final PoolHealth health;
  protected final Gate gate;

  /** Open allocations, and those being made. */
  private final Set<OpenAllocation> open = ConcurrentHashMap.newKeySet();

  private final AtomicLong numbers = new AtomicLong();

  /** Held while the close frees all memory, so that a concurrent close waits for it. */
  private final PoolLock ending;

  /** True if all memory is freed. Guarded by {@code ending}. */
  private boolean ended;

  protected AllocatorBase(Device device) {
    this.device = device;
    this.name = getClass().getSimpleName() + " of device " + device.getOrdinal();
    this.health = new PoolHealth(name);
    this.gate = new Gate(name, health);
    this.ending = new PoolLock(health);
  }

  /** Frees all memory. Called when nothing is open. After a failure it is called again. */
  protected void closeMemory() {}

  /**
   * Frees all memory of a broken allocator, including memory of open allocations. After a failure
   * it is called again.
   */
  protected void closeBroken() {}

  /** Drops the memory that the close has left, because the device is lost. */
  protected void forgetMemory() {}

  /** Describes open allocations, in lines of the error of an early close. */
  protected String describeOpen() {
    List<OpenAllocations.Open> all =
        open().stream()
            .filter(each -> each.getSize() > 0)
            .flatMap(each -> describe(each).stream())
            .toList();
    return OpenAllocations.list(all, device);
  }

  /** Describes an allocation; empty if another thread has closed it meanwhile. */
  private static Optional<OpenAllocations.Open> describe(OpenAllocation each) {
    try {
      return Optional.of(
          new OpenAllocations.Open(
              UserError.callUser(each::getAddress),
              each.getSize(),
              Streams.nameOf(UserError.callUser(each::getStream)),
              ""));
    } catch (ClosedException e) {
      return Optional.empty();
    }
  }

  @Override
  public final Device getDevice() {
    return device;
  }

  final long nextNumber() {
    return numbers.incrementAndGet();
  }

  /**
   * Makes an allocation.
   *
   * @param fill gives the allocation its memory; if it fails or leaves the allocation empty, the
   *     allocation is not open
   * @throws ClosedException if the allocator is closed
   * @throws IllegalStateException if the allocator is broken
   */
  protected final <A extends OpenAllocation> A make(A made, Consumer<A> fill) {
    return health.change(
        () -> {
          begin(made);
          boolean isOpen = false;
          try {
            fill.accept(made);
            isOpen = made.getSize() > 0;
            return made;
          } finally {
            if (!isOpen) {
              open.remove(made);
            }
          }
        });
  }

  private void begin(OpenAllocation made) {
    health.requireIntact();
    open.add(made);
    while (!gate.mayGoOn()) {
      open.remove(made);
      if (gate.isShut()) {
        throw gate.closedError();
      }
      gate.awaitRelease();
      open.add(made);
    }
  }

  final void end(OpenAllocation closed) {
    if (health.isBroken()) {
      closed.freeBroken();
      return;
    }
    health.run(
        () -> {
          gate.begin();
          try {
            open.remove(closed);
            closed.free();
          } finally {
            gate.leave();
          }
        });
  }

  /** Returns the open allocations in the order of their numbers. */
  protected final List<OpenAllocation> open() {
    return open.stream().sorted(Comparator.comparingLong(each -> each.number)).toList();
  }

  @Override
  public final void close() {
    health.run(
        () -> {
          if (health.isBroken()) {
            gate.shutBroken();
          } else {
            gate.shutUnless(this::requireNothingOpen);
            gate.awaitDeserted();
          }
          ending.toClose(this::end);
        });
  }

  private void requireNothingOpen() {
    List<OpenAllocation> all = open();
    if (!all.isEmpty()) {
      List<OpenAllocation> made = all.stream().filter(each -> each.getSize() > 0).toList();
      int others = all.size() - made.size();
      throw new IllegalStateException(
          "cannot close "
              + name
              + ": "
              + Count.of(made.size(), "open allocation")
              + " of "
              + ByteSize.format(made.stream().mapToLong(OpenAllocation::getSize).sum())
              + (others == 0 ? "" : " and " + others + " being made")
              + "; close "
              + (all.size() == 1 ? "it" : "them")
              + " first"
              + describeOpen());
    }
  }

  private void end() {
    if (ended) {
      return;
    }
    try {
      if (health.isBroken()) {
        closeBroken();
      } else {
        closeMemory();
      }
      ended = true;
    } catch (FatalDeviceException e) {
      ended = true;
      Batch.after(e, this::forgetMemory);
      throw e;
    }
  }
}
