package org.vramkit.pool.decorator;

import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.support.Gate;

/**
 * Forwards to an upstream allocator, calls the hooks of its subclass, and guards the close. The
 * upstream allocator belongs to another owner: closing a decorator leaves it open.
 *
 * <p>Hooks run on the thread that allocates or closes, without a lock, so several may run at once.
 */
abstract class AllocatorDecorator implements Allocator {
  /** The alignment of a request that specifies none. */
  static final long ANY = 1;

  private final Allocator upstream;
  final Gate gate;

  /** Open allocations, and those being made. */
  private final Set<DecoratedAllocation> open = ConcurrentHashMap.newKeySet();

  AllocatorDecorator(Allocator upstream) {
    this.upstream = Objects.requireNonNull(upstream, "upstream");
    this.gate =
        new Gate(getClass().getSimpleName() + " of device " + upstream.getDevice().getOrdinal());
  }

  /** Allocates from upstream. An exception must leave the state unchanged. */
  Allocation doAllocate(long bytes, long alignment, Stream stream) {
    return alignment == ANY
        ? upstream.allocate(bytes, stream)
        : upstream.allocateAligned(bytes, alignment, stream);
  }

  /**
   * Called before an allocation is returned to its caller. If this throws, the memory is freed
   * again.
   */
  void allocated(DecoratedAllocation allocation) {}

  /** Called when an allocation is closed for the first time, before its memory is freed. */
  void freeing(DecoratedAllocation allocation) {}

  /** Called after upstream has freed the memory. */
  void freed(DecoratedAllocation allocation) {}

  /** Called by each close of the decorator. Nothing is live then. */
  void closed() {}

  /** Describes live allocations, for the error of an early close. */
  String describeLive() {
    return "";
  }

  @Override
  public final Device getDevice() {
    return upstream.getDevice();
  }

  @Override
  public final Allocation allocate(long bytes, Stream stream) {
    return allocateAligned(bytes, ANY, stream);
  }

  @Override
  public final Allocation allocateAligned(long bytes, long alignment, Stream stream) {
    try {
      DecoratedAllocation made = allocateInside(bytes, alignment, stream);
      made.delivered = true;
      if (gate.brokenBy == null) {
        return made;
      }
      made.delivered = false;
    } catch (Error e) {
      gate.brokenBy = e;
      throw e;
    }
    throw gate.broken();
  }

  private DecoratedAllocation allocateInside(long bytes, long alignment, Stream stream) {
    gate.enter();
    boolean holds = true;
    DecoratedAllocation made = new DecoratedAllocation(this);
    open.add(made);
    try {
      // Stored at once, so that a following JVM error does not lose it.
      made.held = doAllocate(bytes, alignment, stream);
      made.size = made.held().getSize();
      holds = made.size > 0;
      if (holds) {
        announce(made);
      }
      return made;
    } finally {
      if (made.held == null || !holds) {
        open.remove(made);
        gate.leave();
      }
    }
  }

  private void announce(DecoratedAllocation made) {
    try {
      allocated(made);
    } catch (RuntimeException | Error e) {
      Batch.after(e, made::close);
      throw e;
    }
  }

  final void close(DecoratedAllocation allocation) {
    Allocation held = allocation.held();
    if (allocation.size == 0 || gate.brokenBy != null) {
      held.close();
      return;
    }
    gate.startReturn();
    try {
      Batch.run(() -> freeing(allocation), held::close, () -> freed(allocation));
      open.remove(allocation);
    } catch (RuntimeException e) {
      open.remove(allocation);
      throw e;
    } finally {
      // After a JVM error upstream may still hold the memory; the close of the decorator frees it.
      gate.endPass();
    }
  }

  @Override
  public final void trim(long keepBytes) {
    upstream.trim(keepBytes);
  }

  @Override
  public final AllocatorStatistics getStatistics() {
    return upstream.getStatistics();
  }

  @Override
  public final void resetPeaks() {
    upstream.resetPeaks();
  }

  @Override
  public long getLimit() {
    return upstream.getLimit();
  }

  @Override
  public long getAvailableBytes() {
    return upstream.getAvailableBytes();
  }

  @Override
  public final boolean addReclaimer(Reclaimer reclaimer) {
    return upstream.addReclaimer(reclaimer);
  }

  @Override
  public final void removeReclaimer(Reclaimer reclaimer) {
    upstream.removeReclaimer(reclaimer);
  }

  /** Closes the decorator. The upstream allocator stays open. */
  @Override
  public final void close() {
    if (gate.brokenBy == null) {
      gate.close(this::refusal);
    } else {
      closeBroken();
    }
    closed();
  }

  /** Closes allocations that no caller has received. Throws if a caller holds an allocation. */
  private void closeBroken() {
    long delivered = open.stream().filter(each -> each.delivered).count();
    if (delivered > 0) {
      throw new IllegalStateException(refusal(delivered));
    }
    gate.shut();
    Batch.forEach(
        open,
        each -> {
          if (each.held != null) {
            each.held().close();
          }
          open.remove(each);
        });
  }

  private String refusal(long holders) {
    return "cannot close "
        + this
        + ": "
        + Count.of(holders, "allocation")
        + " of "
        + ByteSize.format(open.stream().mapToLong(each -> each.size).sum())
        + " are open or being made; close them first"
        + describeLive();
  }

  @Override
  public String toString() {
    return getClass().getSimpleName() + " over " + upstream;
  }
}
