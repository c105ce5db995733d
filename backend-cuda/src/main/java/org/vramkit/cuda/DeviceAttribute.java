package org.vramkit.cuda;

/**
 * The attributes of a device that Vramkit reads, with the numbers of {@code CUdevice_attribute}.
 */
enum DeviceAttribute {
  /** Peak clock of the multiprocessors in kHz. */
  CLOCK_RATE(13),
  /** Streaming multiprocessors. */
  MULTIPROCESSOR_COUNT(16),
  /** 1 if it shares the host's memory. */
  INTEGRATED(18),
  /** 1 if its memory is ECC protected. */
  ECC_ENABLED(32),
  /** Peak clock of the memory in kHz. */
  MEMORY_CLOCK_RATE(36),
  /** Width of the memory bus in bits. */
  GLOBAL_MEMORY_BUS_WIDTH(37),
  /** Size of the L2 cache in bytes. */
  L2_CACHE_SIZE(38),
  /** Major compute capability. */
  COMPUTE_CAPABILITY_MAJOR(75),
  /** Minor compute capability. */
  COMPUTE_CAPABILITY_MINOR(76),
  /** 1 if the host may touch managed memory while work uses other parts of it. */
  CONCURRENT_MANAGED_ACCESS(89),
  /** 1 if addresses and physical memory can be managed apart. */
  VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED(102),
  /** 1 if it allocates in stream order. */
  MEMORY_POOLS_SUPPORTED(115);

  private final int number;

  DeviceAttribute(int number) {
    this.number = number;
  }

  /** The driver's number of it. */
  int getNumber() {
    return number;
  }
}
