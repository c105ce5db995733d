package org.vramkit.ptx.memory;

/**
 * A range of device addresses whose bytes are consecutive in an array. Kernels read and write the
 * array directly.
 *
 * @param bytes the array, which may contain other bytes as well
 * @param offset position of the first byte of the range in the array
 * @param address device address of the first byte
 * @param length number of bytes
 */
@SuppressWarnings("ArrayRecordComponent") // the identity of the array is the point
public record MemoryPiece(byte[] bytes, int offset, long address, int length) {}
