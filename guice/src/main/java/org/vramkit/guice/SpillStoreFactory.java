package org.vramkit.guice;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.pressure.SpillStore;

/**
 * Creates the spill store of a device, by default with 1 GiB of page-locked memory, taken when
 * something is first spilled; bind another factory for other limits or a disk.
 */
@FunctionalInterface
public interface SpillStoreFactory {

  /** Creates a store. Called once per device, on first use. */
  SpillStore create(Allocator allocator);
}
