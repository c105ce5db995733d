package org.vramkit.guice;

import org.vramkit.partition.scatter.Scatter;
import org.vramkit.partition.scatter.ScatterBuilder;

/** Makes the scatter over all devices; bind another one for other settings. */
@FunctionalInterface
public interface ScatterFactory {

  /**
   * Called once, if a scatter is wanted.
   *
   * @param builder has the devices, their allocators and their workspaces
   */
  Scatter create(ScatterBuilder builder);
}
