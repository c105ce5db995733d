package org.vramkit.api.allocator;

import org.vramkit.api.error.Batch;

/** Initializes a new allocation, and closes it if that fails. */
final class Filling {
  private Filling() {}

  static Allocation orClose(Allocation allocation, Runnable fill) {
    if (allocation.getSize() == 0) {
      return allocation;
    }
    try {
      fill.run();
      return allocation;
    } catch (RuntimeException | Error e) {
      Batch.after(e, allocation::close);
      throw e;
    }
  }
}
