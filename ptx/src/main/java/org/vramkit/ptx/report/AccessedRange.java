package org.vramkit.ptx.report;

/**
 * Consecutive bytes of global memory that a launch accessed in the same way.
 *
 * @param address first byte
 * @param bytes number of bytes, at least 1
 * @param line the instruction that accessed the first byte
 */
public record AccessedRange(long address, long bytes, CodeLine line) {}
