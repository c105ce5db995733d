package org.vramkit.ptx.check;

/**
 * Two accesses of different threads without an order between them.
 *
 * @param lockstep whether the lanes ran together between the accesses, so that a warp in lockstep
 *     orders them
 * @param underWay whether the earlier access is that of an asynchronous copy that its thread has
 *     not waited for; it may be of the same thread
 * @param earlierBlock number of the earlier access's block, in the order in which blocks started
 * @param earlierThread linear index of its thread in the block
 * @param earlierStep its step
 * @param earlierWrites whether it is a write
 */
public record Conflict(
    boolean lockstep,
    boolean underWay,
    int earlierBlock,
    int earlierThread,
    int earlierStep,
    boolean earlierWrites) {}
