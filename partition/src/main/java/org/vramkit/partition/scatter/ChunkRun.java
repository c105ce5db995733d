package org.vramkit.partition.scatter;

import org.vramkit.partition.plan.Tile;

/**
 * One attempt to run a chunk on a device.
 *
 * @param index position in the order of assignment, from 0
 * @param tile the device and the units; the ordinal is {@link Tile#CPU} for the CPU
 * @param attempt number of the attempt for these units, from 1
 * @param fromNanos time of the call of the task, in nanoseconds since the start of the scatter
 * @param toNanos time of the completion on the device, in nanoseconds since the start of the
 *     scatter
 * @param outcome the result
 */
public record ChunkRun(
    int index, Tile tile, int attempt, long fromNanos, long toNanos, Outcome outcome) {
  /** The result of a run. */
  public enum Outcome {
    /** The units are done. */
    DONE,
    /** The device had too little memory; the units were halved or reassigned. */
    OUT_OF_MEMORY,
    /** The device failed; the units were reassigned. */
    FAILED,
    /**
     * The chunk was overdue and its units were reassigned, although the device may have continued.
     */
    OVERDUE
  }
}
