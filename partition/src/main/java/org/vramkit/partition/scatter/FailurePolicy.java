package org.vramkit.partition.scatter;

/**
 * The reaction of a {@linkplain Schedule#planned planned} scatter to a GPU failure. Failures of the
 * user's code are always thrown. A {@linkplain Schedule#guided guided} scatter always reassigns
 * unfinished units to other devices.
 */
public enum FailurePolicy {
  /** Runs the whole batch on the CPU, on the original input. */
  ALL_ON_CPU,
  /**
   * Retries the failed tile on one other device and quarantines the device that failed. If the tile
   * fails there too, the report names it, and the batch runs on the CPU if there is a CPU task.
   * After a fatal error, which disables all devices of the process, no tile is moved.
   */
  MOVE_TILE
}
