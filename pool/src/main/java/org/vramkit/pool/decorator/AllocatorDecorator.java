package org.vramkit.pool.decorator;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.support.Entrance;

/**
 * Passes everything on, tells its subclass what happens, and keeps the contract of closing. The
 * allocator beneath belongs to somebody else: closing a decorator leaves it open.
 *
 * <p>The hooks are called by whichever thread allocates, records or closes, also by several at
 * once. No lock is held while they run, but for that of the end.
 */
abstract class AllocatorDecorator implements Allocator {
  private final Allocator upstream;
  private final Entrance entrance = new Entrance();
  private final AtomicLong liveBytes = new AtomicLong();
  private final ReentrantLock ending = new ReentrantLock();

  /** Whether {@link #closed} was called. Guarded by {@code ending}. */
  private boolean ended;

  AllocatorDecorator(Allocator upstream) {
    this.upstream = Objects.requireNonNull(upstream, "upstream");
  }

  /** The allocation itself; an exception must leave everything as it was. */
  Allocation take(long bytes, Stream stream) {
    return upstream.allocate(bytes, stream);
  }

  /** An allocation was made and is about to be handed out; if it throws, it is freed again. */
  void allocated(DecoratedAllocation allocation) {}

  /** An allocation is about to be closed, for the first time: its memory is nobody else's yet. */
  void freeing(DecoratedAllocation allocation) {}

  /** It was closed: the allocator beneath has its memory. */
  void freed(DecoratedAllocation allocation) {}

  /** The decorator was closed, for the first time; nothing is live. */
  void closed() {}

  /** Says more of what is still live, for the error of closing too early. */
  String describeLive() {
    return "";
  }

  @Override
  public final Device getDevice() {
    return upstream.getDevice();
  }

  @Override
  public final Allocation allocate(long bytes, Stream stream) {
    entrance.enter(this);
    boolean held = false;
    try {
      DecoratedAllocation made = new DecoratedAllocation(this, take(bytes, stream));
      if (made.size > 0) {
        held = true;
        liveBytes.addAndGet(made.size);
        announce(made);
      }
      return made;
    } finally {
      if (!held) {
        entrance.leave();
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
    if (allocation.size == 0) {
      allocation.held.close();
      return;
    }
    entrance.startReturn();
    try {
      Batch.run(() -> freeing(allocation), allocation.held::close, () -> freed(allocation));
    } finally {
      liveBytes.addAndGet(-allocation.size);
      entrance.endPass();
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

  /** Ends the decorator; the allocator beneath stays open. */
  @Override
  public final void close() {
    entrance.close(this::refusal);
    ending.lock();
    try {
      if (!ended) {
        ended = true;
        closed();
      }
    } finally {
      ending.unlock();
    }
  }

  private String refusal(long holders) {
    return "cannot close "
        + this
        + ": "
        + Count.of(holders, "allocation")
        + " of "
        + ByteSize.format(liveBytes.get())
        + ", open or being made; close them first"
        + describeLive();
  }

  @Override
  public String toString() {
    return getClass().getSimpleName() + " over " + upstream;
  }
}
