package org.vramkit.api.allocator;

/**
 * The share of one stream in an allocator's memory. Free memory that no stream can still use is
 * listed under the name {@code shared}.
 *
 * @param stream the stream's handle in hexadecimal, preceded by its name if it has one, as in
 *     {@code copies (0x5)}; or {@code shared}
 * @param liveBytes live blocks of the stream, and closed ones that wait for other streams
 * @param cachedBytes free blocks in the stream's caches
 * @param fragmentBytes free ranges behind the caches that so far only this stream may use
 */
public record StreamStatistics(
    String stream, long liveBytes, long cachedBytes, long fragmentBytes) {}
