package org.vramkit.sim.check;

/**
 * The addresses of a range, and of the page-locked buffer that it is in; the device is the one that
 * was asked for the buffer.
 */
public record PinnedRange(int device, long buffer, long size, long start, long end) {}
