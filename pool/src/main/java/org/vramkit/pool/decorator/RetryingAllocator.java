package org.vramkit.pool.decorator;

import java.util.List;
import java.util.Objects;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.support.UserError;

/**
 * Retries allocations that fail for lack of memory, as long as a handler asks for another attempt.
 * Other errors propagate. If all attempts fail, the exception of the first attempt is thrown, with
 * the exception of the last attempt as suppressed.
 */
public final class RetryingAllocator extends AllocatorDecorator {
  private final RetryHandler handler;

  private RetryingAllocator(Allocator upstream, RetryHandler handler) {
    super(upstream);
    this.handler = Objects.requireNonNull(handler, "handler");
  }

  /** Retries the allocations of an allocator as a handler decides. */
  public static RetryingAllocator over(Allocator upstream, RetryHandler handler) {
    return new RetryingAllocator(upstream, handler);
  }

  @Override
  Allocation doAllocate(long bytes, long alignment, Stream stream) {
    DeviceOutOfMemoryException first = null;
    for (int attempt = 1; ; attempt++) {
      try {
        return super.doAllocate(bytes, alignment, stream);
      } catch (DeviceOutOfMemoryException e) {
        first = first == null ? e : first;
        List<String> steps =
            e instanceof AllocatorOutOfMemoryException full ? full.getReport().steps() : List.of();
        var failed = new OutOfMemoryAttempt(bytes, stream, attempt, steps, e);
        if (!UserError.callUser(() -> handler.retry(failed))) {
          Batch.suppress(first, e);
          throw first;
        }
      }
    }
  }
}
