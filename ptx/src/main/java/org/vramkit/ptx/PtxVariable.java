package org.vramkit.ptx;

/**
 * A variable of a module that has an address in device memory.
 *
 * @param name its name
 * @param constant whether it is in constant memory; kernels cannot write it
 * @param bytes its size, at least 1
 * @param alignment a power of two; the address must be a multiple of it
 */
public record PtxVariable(String name, boolean constant, long bytes, int alignment) {}
