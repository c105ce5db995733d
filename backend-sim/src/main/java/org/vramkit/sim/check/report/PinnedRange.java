package org.vramkit.sim.check.report;

/**
 * A range of a page-locked buffer.
 *
 * @param device ordinal of the device that it was asked of
 * @param buffer first address of the buffer
 * @param size bytes of the buffer
 * @param start first address of the range
 * @param end the address after its last byte
 */
public record PinnedRange(int device, long buffer, long size, long start, long end) {}
