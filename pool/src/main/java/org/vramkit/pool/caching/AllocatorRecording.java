package org.vramkit.pool.caching;

/**
 * The latest events of a caching allocator, and the snapshot that they lead to. Both are of one
 * moment: a block is live in the snapshot if, and only if, the events have allocated it and not
 * freed it, with the same size, stream and tag; or if it is older than the events.
 *
 * @param snapshot segments and blocks after the last event
 * @param history the events; none where the allocator keeps no history
 */
public record AllocatorRecording(AllocatorSnapshot snapshot, AllocatorHistory history) {}
