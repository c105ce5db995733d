package org.vramkit.pool.caching;

/**
 * The latest events of a caching allocator and a snapshot, both taken at one moment. A block that
 * the events allocate and do not free is live in the snapshot, with the same size, stream and tag.
 * All other live blocks of the snapshot are older than the events.
 *
 * @param snapshot the segments and blocks after the last event
 * @param history the events; empty if the allocator keeps no history
 */
public record AllocatorRecording(AllocatorSnapshot snapshot, AllocatorHistory history) {}
