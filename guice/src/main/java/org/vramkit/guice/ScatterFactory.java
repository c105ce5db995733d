package org.vramkit.guice;

import org.vramkit.partition.scatter.Scatter;
import org.vramkit.partition.scatter.ScatterBuilder;

/** Creates the scatter over all devices; bind another factory for other settings. */
@FunctionalInterface
public interface ScatterFactory {

  /**
   * Creates the scatter. Called once, on first use.
   *
   * @param builder a builder with the devices, their allocators and their workspaces
   */
  Scatter create(ScatterBuilder builder);
}
