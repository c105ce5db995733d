package org.vramkit.partition.scatter;

import org.vramkit.partition.plan.Tile;

/**
 * Receives completed units, for a progress bar or to {@linkplain Schedule#resume resume} later. The
 * scatter's threads call the listener, one at a time, and the listener must return quickly. Under a
 * {@linkplain Schedule#planned planned} schedule all calls come at the end, because until then the
 * CPU may have to redo everything. An exception of the listener ends the scatter, as a failure of
 * the task does.
 */
@FunctionalInterface
public interface ProgressListener {
  /** Ignores all calls. */
  ProgressListener NONE = (range, finishedUnits, units) -> {};

  /**
   * Reports completed units, which this run will not repeat.
   *
   * @param range the units and their device
   * @param finishedUnits number of completed units, including those of a resumed run
   * @param units total number of units
   */
  void finished(Tile range, long finishedUnits, long units);
}
