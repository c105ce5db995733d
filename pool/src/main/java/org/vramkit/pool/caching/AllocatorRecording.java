package org.vramkit.pool.caching;

/**
 * The latest events of a caching allocator, and the snapshot that they lead to, at one moment. A
 * block is live in the snapshot if and only if it is older than the events, or the events allocate
 * and do not free it, with the same size, stream and tag.
 *
 * @param snapshot segments and blocks after the last event
 * @param history the events; empty if the allocator keeps no history
 */
public record AllocatorRecording(AllocatorSnapshot snapshot, AllocatorHistory history) {}
