package org.vramkit.pool.decorator;

import java.util.List;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/**
 * One allocation that found no memory.
 *
 * @param bytes what was asked for
 * @param stream on which stream
 * @param attempt how often it was tried; 1 is the first
 * @param steps what the allocator beneath had tried, in order; empty if it does not say
 * @param failure what it threw
 */
public record OutOfMemoryAttempt(
    long bytes,
    Stream stream,
    int attempt,
    List<String> steps,
    DeviceOutOfMemoryException failure) {

  /** Copies the list. */
  public OutOfMemoryAttempt {
    steps = List.copyOf(steps);
  }
}
