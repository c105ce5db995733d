package org.vramkit.sim.check;

/**
 * The addresses of a range and of its page-locked buffer, and the device that allocated the buffer.
 */
public record PinnedRange(int device, long buffer, long size, long start, long end) {}
