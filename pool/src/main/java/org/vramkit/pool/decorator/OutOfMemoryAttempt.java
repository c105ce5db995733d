package org.vramkit.pool.decorator;

import java.util.List;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/**
 * An attempt to allocate that failed for lack of memory.
 *
 * @param bytes requested bytes
 * @param stream stream of the allocation
 * @param attempt number of the attempt, from 1
 * @param steps recovery steps that the upstream allocator took, in order; empty if it does not
 *     report them
 * @param failure the exception of the upstream allocator
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
