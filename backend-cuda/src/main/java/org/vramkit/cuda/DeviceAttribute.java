package org.vramkit.cuda;

/** The device attributes that Vramkit reads, with their {@code CUdevice_attribute} numbers. */
enum DeviceAttribute {
  /** Maximum threads of a block. */
  MAX_THREADS_PER_BLOCK(1),
  /** Maximum shared memory of a block in bytes, without opting in. */
  MAX_SHARED_MEMORY_PER_BLOCK(8),
  /** Peak clock of the multiprocessors in kHz. */
  CLOCK_RATE(13),
  /** Number of streaming multiprocessors. */
  MULTIPROCESSOR_COUNT(16),
  /** 1 if the device shares the host's memory. */
  INTEGRATED(18),
  /** 1 if the device's memory is ECC protected. */
  ECC_ENABLED(32),
  /** Peak clock of the memory in kHz. */
  MEMORY_CLOCK_RATE(36),
  /** Width of the memory bus in bits. */
  GLOBAL_MEMORY_BUS_WIDTH(37),
  /** Size of the L2 cache in bytes. */
  L2_CACHE_SIZE(38),
  /** Maximum resident threads of a multiprocessor. */
  MAX_THREADS_PER_MULTIPROCESSOR(39),
  /** Major compute capability. */
  COMPUTE_CAPABILITY_MAJOR(75),
  /** Minor compute capability. */
  COMPUTE_CAPABILITY_MINOR(76),
  /** Shared memory of a multiprocessor in bytes. */
  MAX_SHARED_MEMORY_PER_MULTIPROCESSOR(81),
  /** 32-bit registers of a multiprocessor. */
  MAX_REGISTERS_PER_MULTIPROCESSOR(82),
  /** 1 if the host may access managed memory while device work uses other parts of it. */
  CONCURRENT_MANAGED_ACCESS(89),
  /** Maximum shared memory of a block in bytes for kernels that opt in. */
  MAX_SHARED_MEMORY_PER_BLOCK_OPTIN(97),
  /** 1 if the device supports virtual memory management. */
  VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED(102),
  /** Maximum resident blocks of a multiprocessor. */
  MAX_BLOCKS_PER_MULTIPROCESSOR(106),
  /** 1 if the device supports allocation in stream order. */
  MEMORY_POOLS_SUPPORTED(115);

  private final int number;

  DeviceAttribute(int number) {
    this.number = number;
  }

  /** Returns the driver's number of the attribute. */
  int getNumber() {
    return number;
  }
}
