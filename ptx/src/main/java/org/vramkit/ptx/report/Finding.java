package org.vramkit.ptx.report;

import org.jspecify.annotations.Nullable;

/**
 * An error that a launch contains. Findings of one kind at the same lines are one finding, which
 * counts its cases and describes the first.
 *
 * @param kind the kind
 * @param message what happened, with all that the other components say
 * @param block coordinates of the block
 * @param thread coordinates of the thread within its block
 * @param line the instruction of this thread
 * @param otherBlock the block of the other thread; null if one thread is concerned
 * @param otherThread the other thread of a race, barrier or mask; null if one thread is concerned
 * @param otherLine the instruction of the other thread; null if unknown
 * @param space the memory: {@code global}, {@code shared}, {@code local}, {@code const}, {@code
 *     param}, or empty if none is concerned
 * @param address first address of the access in that space
 * @param bytes size of the access
 * @param count the number of cases, at least 1
 */
public record Finding(
    FindingKind kind,
    String message,
    Dim3 block,
    Dim3 thread,
    CodeLine line,
    @Nullable Dim3 otherBlock,
    @Nullable Dim3 otherThread,
    @Nullable CodeLine otherLine,
    String space,
    long address,
    int bytes,
    long count) {
  @Override
  public String toString() {
    return kind + ": " + message;
  }
}
