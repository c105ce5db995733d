package org.vramkit.pool.decorator;

import java.util.Objects;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.pool.support.AllocatorBase;
import org.vramkit.pool.support.UserError;

/**
 * Forwards to an upstream allocator, and calls the hooks of its subclass. The upstream allocator
 * belongs to another owner: closing a decorator leaves it open.
 *
 * <p>Hooks run on the thread that allocates or closes, without a lock, so several may run at once.
 */
abstract class AllocatorDecorator extends AllocatorBase {
  /** The alignment of a request that specifies none. */
  static final long ANY = 1;

  private final Allocator upstream;

  AllocatorDecorator(Allocator upstream) {
    super(Objects.requireNonNull(upstream, "upstream").getDevice());
    this.upstream = upstream;
  }

  /** Allocates from upstream. An exception must leave the state unchanged. */
  Allocation doAllocate(long bytes, long alignment, Stream stream) {
    return UserError.callUser(
        () ->
            alignment == ANY
                ? upstream.allocate(bytes, stream)
                : upstream.allocateAligned(bytes, alignment, stream));
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

  @Override
  public final Allocation allocate(long bytes, Stream stream) {
    return allocateAligned(bytes, ANY, stream);
  }

  @Override
  public final Allocation allocateAligned(long bytes, long alignment, Stream stream) {
    return make(
        new DecoratedAllocation(this),
        made -> {
          made.fill(doAllocate(bytes, alignment, stream), bytes);
          if (made.getSize() > 0) {
            try {
              allocated(made);
            } catch (RuntimeException | Error e) {
              Batch.after(e, made::close);
              throw e;
            }
          }
        });
  }

  final void free(DecoratedAllocation closed) {
    Allocation held = closed.held();
    if (closed.getSize() == 0) {
      UserError.runUser(held::close);
    } else {
      Batch.run(() -> freeing(closed), () -> UserError.runUser(held::close), () -> freed(closed));
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

  @Override
  public String toString() {
    return getClass().getSimpleName() + " over " + upstream;
  }
}
