package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;

/** Creates out-of-memory errors of pools, and their advice. */
public final class Refusals {
  private Refusals() {}

  /**
   * Prefixes an error of the allocator with the request to the pool. Keeps the allocator's report.
   *
   * @param wanted text that names the request and its allocation
   */
  public static DeviceOutOfMemoryException noMemoryFor(
      String wanted, DeviceOutOfMemoryException cause) {
    String message = "no memory for " + wanted + ": " + cause.getMessage();
    return cause instanceof AllocatorOutOfMemoryException told
        ? new AllocatorOutOfMemoryException(message, told.getReport(), told.getStatus(), told)
        : new DeviceOutOfMemoryException(
            message, cause.getRequestedBytes(), cause.getStatus(), cause);
  }

  /**
   * Lists alternatives for a request that does not fit beside live memory. Each alternative
   * suffices. Assumes that a closed piece makes room for as many bytes as it has.
   */
  public static String advice(long wanted, long room, long held, String... more) {
    List<String> ways = new ArrayList<>();
    if (held >= wanted - room) {
      ways.add("free " + ByteSize.formatUp(wanted - room));
    }
    ways.addAll(List.of(more));
    if (room > 0) {
      ways.add("ask for at most " + ByteSize.formatDown(room));
    }
    return String.join(", or ", ways);
  }
}
