package org.vramkit.partition.scatter;

import org.vramkit.partition.plan.Tile;

/**
 * One run of a chunk on a device.
 *
 * @param index place in the order in which chunks were dealt, from 0
 * @param tile who, and which units; the ordinal is {@link Tile#CPU} if it was the CPU
 * @param attempt 1 if these units were not tried before, 2 if they were once, and so on
 * @param fromNanos when its task was called, from the start of the scatter
 * @param toNanos when its device was done with it, from the start of the scatter
 * @param outcome what became of it
 */
public record ChunkRun(
    int index, Tile tile, int attempt, long fromNanos, long toNanos, Outcome outcome) {
  /** The end of a chunk. */
  public enum Outcome {
    /** It counts. */
    DONE,
    /** Its device had too little memory; it went on in halves, or elsewhere. */
    OUT_OF_MEMORY,
    /** Its device failed; others did it. */
    FAILED,
    /** It was overdue and others did it; its device may have gone on. */
    OVERDUE
  }
}
