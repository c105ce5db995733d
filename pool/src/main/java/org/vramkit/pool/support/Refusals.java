package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;

/** Errors of a pool over an allocator that has no memory. */
public final class Refusals {
  private Refusals() {}

  /**
   * The same error with what the pool's user asked for before it; keeps the allocator's account.
   *
   * @param wanted what there is no memory for, with what was asked for and what is taken for it
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
   * What to do where a request does not fit beside what is held, and every piece that is closed
   * makes room for as many bytes as it has. Each alternative is enough by itself.
   *
   * @param wanted bytes of the request
   * @param room bytes that are left for it
   * @param held bytes of pieces that users could close
   * @param more alternatives besides
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
