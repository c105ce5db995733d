package org.vramkit.pool.decorator;

import java.util.List;
import java.util.Objects;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/**
 * Asks a handler whenever an allocation finds no memory, and tries again for as long as it says so.
 * Other errors pass. What is thrown in the end is the error of the first try, with that of the last
 * one suppressed; those between are the handler's to see.
 */
public final class RetryingAllocator extends AllocatorDecorator {
  private final RetryHandler handler;

  private RetryingAllocator(Allocator upstream, RetryHandler handler) {
    super(upstream);
    this.handler = Objects.requireNonNull(handler, "handler");
  }

  /** Retries by a handler. */
  public static RetryingAllocator over(Allocator upstream, RetryHandler handler) {
    return new RetryingAllocator(upstream, handler);
  }

  @Override
  Allocation take(long bytes, long alignment, Stream stream) {
    DeviceOutOfMemoryException first = null;
    for (int attempt = 1; ; attempt++) {
      try {
        return super.take(bytes, alignment, stream);
      } catch (DeviceOutOfMemoryException e) {
        first = first == null ? e : first;
        List<String> steps =
            e instanceof AllocatorOutOfMemoryException full ? full.getReport().steps() : List.of();
        if (!handler.retry(new OutOfMemoryAttempt(bytes, stream, attempt, steps, e))) {
          Batch.suppress(first, e);
          throw first;
        }
      }
    }
  }
}
