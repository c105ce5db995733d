package org.vramkit.api.device;

/**
 * Attributes of a kernel, as the driver's compiler determines them.
 *
 * @param maxThreadsPerBlock the maximum number of threads of a block, which depends on registers
 *     and on launch bounds in the source
 * @param staticSharedBytes static shared memory of a block in bytes
 * @param constantBytes constant memory of the user in bytes
 * @param localBytes local memory of a thread in bytes
 * @param registers registers of a thread; 0 on the simulator, which assigns none
 * @param ptxVersion the virtual architecture that the PTX was compiled for, such as 75
 * @param binaryVersion the architecture of the machine code, such as 90
 */
public record KernelAttributes(
    int maxThreadsPerBlock,
    int staticSharedBytes,
    int constantBytes,
    int localBytes,
    int registers,
    int ptxVersion,
    int binaryVersion) {}
