package org.vramkit.api.allocator;

/**
 * The share of one stream in an allocator's memory. Free memory that any stream may allocate is
 * listed under the name {@code shared}.
 *
 * @param stream the stream's handle in hexadecimal, preceded by its name if it has one, as in
 *     {@code copies (0x5)}; or {@code shared}
 * @param liveBytes bytes of the stream's live blocks and of its closed blocks that wait for other
 *     streams
 * @param cachedBytes bytes of free blocks in the stream's caches
 * @param fragmentBytes bytes of free ranges outside the caches that only this stream may allocate
 *     so far
 */
public record StreamStatistics(
    String stream, long liveBytes, long cachedBytes, long fragmentBytes) {}
