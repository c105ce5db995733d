package org.vramkit.partition.scatter;

import org.vramkit.partition.plan.Tile;

/**
 * Receives units that are done, for a progress bar, or to {@linkplain Schedule#resume resume}
 * later. Called by the scatter's threads, one at a time; keep it short. Under a {@linkplain
 * Schedule#planned planned} schedule it is called for everything at the end, as the CPU may have to
 * do all of it until then. What it throws ends the scatter as a failure of the task would.
 */
@FunctionalInterface
public interface ProgressListener {
  /** Hears nothing. */
  ProgressListener NONE = (range, finishedUnits, units) -> {};

  /**
   * Units are done and count: no device does them again in this run.
   *
   * @param range the units, and their device
   * @param finishedUnits how many are done so far, with those of the run that is resumed
   * @param units how many there are
   */
  void finished(Tile range, long finishedUnits, long units);
}
