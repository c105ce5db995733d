package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.device.Stream;

/**
 * Closed blocks that could not be taken back, because the driver failed and nobody knows when their
 * streams end: kept until it is tried again, never handed out before. Every method is atomic.
 */
final class FailedFrees {
  /** One block, as it was closed. */
  record FailedFree(long address, long bytes, Stream stream, List<Stream> users) {}

  private final List<FailedFree> blocks = new ArrayList<>(0);

  synchronized void add(FailedFree block) {
    blocks.add(block);
  }

  /** All there are, for the caller to try again. */
  synchronized List<FailedFree> takeAll() {
    List<FailedFree> taken = List.copyOf(blocks);
    blocks.clear();
    return taken;
  }
}
