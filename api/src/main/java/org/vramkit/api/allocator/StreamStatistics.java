package org.vramkit.api.allocator;

/**
 * The share of one stream in an allocator's memory. Free memory that no stream can still be using
 * belongs to none: it is listed under the name {@code shared}.
 *
 * @param stream the stream's handle in hexadecimal, behind its name if it has one, as in {@code
 *     copies (0x5)}; or {@code shared}
 * @param liveBytes blocks of that stream that are held, or closed and waiting for other streams
 * @param cachedBytes free blocks in that stream's caches
 * @param fragmentBytes free ranges behind the caches that only that stream may take yet
 */
public record StreamStatistics(
    String stream, long liveBytes, long cachedBytes, long fragmentBytes) {}
