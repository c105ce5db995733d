package org.vramkit.api.device;

/**
 * The limits of a device for launches. The extents of grids are the same on all devices: 2^31 - 1
 * blocks in the first dimension and 65,535 in the others. A block has at most 1024 threads in the
 * first and second dimension, and 64 in the third (CUDA C++ Programming Guide, compute capability
 * 5.0 to 12.0).
 *
 * @param threadsPerBlock maximum threads of a block
 * @param sharedBytesPerBlock maximum shared memory of a block in bytes, without opting in
 * @param sharedBytesPerBlockOptIn maximum shared memory of a block in bytes for kernels that opt in
 *     by {@link Kernel#setMaxDynamicSharedBytes}
 * @param sharedBytesPerMultiprocessor shared memory of a multiprocessor in bytes
 * @param registersPerMultiprocessor 32-bit registers of a multiprocessor
 * @param threadsPerMultiprocessor maximum resident threads of a multiprocessor
 * @param blocksPerMultiprocessor maximum resident blocks of a multiprocessor
 */
public record KernelLimits(
    int threadsPerBlock,
    int sharedBytesPerBlock,
    int sharedBytesPerBlockOptIn,
    int sharedBytesPerMultiprocessor,
    int registersPerMultiprocessor,
    int threadsPerMultiprocessor,
    int blocksPerMultiprocessor) {}
