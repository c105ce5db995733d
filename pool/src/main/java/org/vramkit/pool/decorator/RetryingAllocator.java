package org.vramkit.pool.decorator;

import java.util.List;
import java.util.Objects;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/**
 * Asks a handler whenever an allocation finds no memory, and tries again for as long as it says so.
 * Other errors pass. What is thrown in the end is the error of the first try, with later ones as
 * suppressed ones.
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
  Allocation take(long bytes, Stream stream) {
    DeviceOutOfMemoryException first = null;
    for (int attempt = 1; ; attempt++) {
      try {
        return super.take(bytes, stream);
      } catch (DeviceOutOfMemoryException e) {
        if (first == null) {
          first = e;
        } else if (first != e) {
          first.addSuppressed(e);
        }
        List<String> steps =
            e instanceof AllocatorOutOfMemoryException full ? full.getReport().steps() : List.of();
        if (!handler.retry(new OutOfMemoryAttempt(bytes, stream, attempt, steps, e))) {
          throw first;
        }
      }
    }
  }
}
