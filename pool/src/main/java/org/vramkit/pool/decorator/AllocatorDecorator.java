package org.vramkit.pool.decorator;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
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
import org.vramkit.pool.support.Gate;

/**
 * Passes everything on, tells its subclass what happens, and keeps the contract of closing. The
 * allocator beneath belongs to another owner: closing a decorator leaves it open.
 *
 * <p>The hooks are called by whichever thread allocates, records or closes, also by several at
 * once. No lock is held while they run, but for that of the end.
 */
abstract class AllocatorDecorator implements Allocator {
  /** The alignment of a request that names none. */
  static final long ANY = 1;

  private final Allocator upstream;
  final Gate gate;

  /** What users hold, and what is on its way to them; guarded by its monitor. */
  private final Set<DecoratedAllocation> open = new HashSet<>();

  private final AtomicLong liveBytes = new AtomicLong();
  private final ReentrantLock ending = new ReentrantLock();

  /** Tells whether {@link #closed} was called. Guarded by {@code ending}. */
  private boolean ended;

  AllocatorDecorator(Allocator upstream) {
    this.upstream = Objects.requireNonNull(upstream, "upstream");
    this.gate =
        new Gate(getClass().getSimpleName() + " of device " + upstream.getDevice().getOrdinal());
  }

  /** The allocation itself; an exception must leave everything as it was. */
  Allocation take(long bytes, long alignment, Stream stream) {
    return alignment == ANY
        ? upstream.allocate(bytes, stream)
        : upstream.allocateAligned(bytes, alignment, stream);
  }

  /** An allocation was made and is about to be handed out; if it throws, it is freed again. */
  void allocated(DecoratedAllocation allocation) {}

  /** An allocation is about to be closed, for the first time: its memory has no other owner yet. */
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
    change(() -> open.add(made));
    try {
      // Kept at once: an error of the JVM that comes next does not lose it.
      made.held = take(bytes, alignment, stream);
      made.arrived();
      holds = made.size > 0;
      if (holds) {
        liveBytes.addAndGet(made.size);
        announce(made);
      }
      return made;
    } finally {
      if (made.held == null || !holds) {
        change(() -> open.remove(made));
        gate.leave();
      }
    }
  }

  private void change(Runnable change) {
    synchronized (open) {
      change.run();
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
    } finally {
      change(() -> open.remove(allocation));
      liveBytes.addAndGet(-allocation.size);
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

  /** Ends the decorator; the allocator beneath stays open. */
  @Override
  public final void close() {
    if (gate.brokenBy == null) {
      gate.close(this::refusal);
    } else {
      closeBroken();
    }
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

  /** Refuses while a user has something, and closes what has come to no user. */
  private void closeBroken() {
    List<DecoratedAllocation> all = new ArrayList<>();
    change(() -> all.addAll(open));
    long delivered = all.stream().filter(each -> each.delivered).count();
    if (delivered > 0) {
      throw new IllegalStateException(refusal(delivered));
    }
    gate.shut();
    Batch.forEach(
        all,
        each -> {
          if (each.held != null) {
            each.held().close();
          }
          change(() -> open.remove(each));
        });
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
