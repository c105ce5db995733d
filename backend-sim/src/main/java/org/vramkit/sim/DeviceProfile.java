package org.vramkit.sim;

import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/**
 * The properties and capabilities of a simulated device. The profiles named after products have the
 * figures that drivers report on such a product: their memory is what {@code cuMemGetInfo} shows as
 * total, which is less than the product's name says.
 *
 * @param properties the properties, with memory from 1 byte to {@link #MAXIMUM_MEMORY}; the other
 *     figures are not negative, and 0 if unknown
 * @param capabilities the capabilities; remove one to test code for devices that lack it
 * @param contextBytes the memory that the driver takes for itself, which is never free; less than
 *     all memory
 * @param exactMemory whether memory is taken in units of 512 bytes, so that tests can count every
 *     byte of a small device; a driver takes plain memory in units of 2 MiB and grows its pools by
 *     32 MiB
 */
public record DeviceProfile(
    DeviceProperties properties,
    Set<Capability> capabilities,
    long contextBytes,
    boolean exactMemory) {
  /** Memory of the context with driver 580 on an H100 and an H200; assumed for the others. */
  private static final long CONTEXT = 552_402_944;

  /** NVIDIA H200. */
  public static final DeviceProfile H200 = builder("NVIDIA H200 (simulated)").build();

  /** NVIDIA H100 with 80 GB of HBM3. */
  public static final DeviceProfile H100_80GB =
      builder("NVIDIA H100 80GB HBM3 (simulated)")
          .memory(85_017_493_504L)
          .context(CONTEXT)
          .memoryBus(2_619_000, 5120)
          .l2Cache(50 * ByteSize.MIB)
          .build();

  /** NVIDIA A100 with 80 GB. */
  public static final DeviceProfile A100_80GB =
      builder("NVIDIA A100 80GB (simulated)")
          .memory(85_100_068_864L)
          .context(CONTEXT)
          .processors(108, 1_410_000)
          .memoryBus(1_593_000, 5120)
          .l2Cache(40 * ByteSize.MIB)
          .compute(8, 0)
          .build();

  /** NVIDIA L4. */
  public static final DeviceProfile L4 =
      builder("NVIDIA L4 (simulated)")
          .memory(23_612_293_120L)
          .context(CONTEXT)
          .processors(58, 2_040_000)
          .memoryBus(6_251_000, 192)
          .l2Cache(48 * ByteSize.MIB)
          .compute(8, 9)
          .build();

  /** NVIDIA GeForce RTX 4090. */
  public static final DeviceProfile RTX_4090 =
      builder("NVIDIA GeForce RTX 4090 (simulated)")
          .memory(25_250_627_584L)
          .context(CONTEXT)
          .processors(128, 2_520_000)
          .memoryBus(10_501_000, 384)
          .l2Cache(72 * ByteSize.MIB)
          .compute(8, 9)
          .errorCorrection(false)
          .build();

  /** A small device with 8 GiB, which no vendor sells. */
  public static final DeviceProfile SMALL_8GIB =
      builder("Small 8 GiB (simulated)")
          .memory(8 * ByteSize.GIB)
          .processors(20, 1_500_000)
          .memoryBus(7_000_000, 128)
          .l2Cache(4 * ByteSize.MIB)
          .compute(7, 5)
          .errorCorrection(false)
          .build();

  /**
   * The largest memory of a simulated device in bytes, 8 TiB. Simulated addresses span 110 TiB, so
   * a pool can reserve eight times as many addresses as the largest device has memory.
   */
  public static final long MAXIMUM_MEMORY = 8 * ByteSize.TIB;

  /** The largest maximum of a driver pool: the addresses of a process, 128 TiB. */
  static final long MAXIMUM_POOL = 128 * ByteSize.TIB;

  /** Checks the ranges and copies the set. */
  public DeviceProfile {
    Objects.requireNonNull(properties, "properties");
    Objects.requireNonNull(properties.name(), "name");
    capabilities = Set.copyOf(Objects.requireNonNull(capabilities, "capabilities"));
    long memory = properties.totalMemoryBytes();
    if (memory < 1 || memory > MAXIMUM_MEMORY) {
      throw new InvalidArgumentException(
          "device '%s' needs memory of 1 to %s bytes; got %s"
              .formatted(properties.name(), MAXIMUM_MEMORY, memory));
    }
    if (contextBytes < 0 || contextBytes >= memory) {
      throw new InvalidArgumentException(
          "the driver of device '%s' needs 0 to %s bytes for itself; got %s"
              .formatted(properties.name(), memory - 1, contextBytes));
    }
    require(properties, "multiprocessors", properties.multiprocessors());
    require(properties, "kHz of clock", properties.clockKilohertz());
    require(properties, "kHz of memory clock", properties.memoryClockKilohertz());
    require(properties, "bits of memory bus", properties.memoryBusBits());
    require(properties, "bytes of L2 cache", properties.l2CacheBytes());
    require(properties, "as major compute capability", properties.computeMajor());
    require(properties, "as minor compute capability", properties.computeMinor());
  }

  private static void require(DeviceProperties device, String what, long found) {
    if (found < 0) {
      throw new InvalidArgumentException(
          "device '%s' needs at least 0 %s; got %s".formatted(device.name(), what, found));
    }
  }

  /**
   * Returns a builder for a device with this name. All other settings start as those of {@link
   * #H200}.
   */
  public static Builder builder(String name) {
    return new Builder(Objects.requireNonNull(name, "name"));
  }

  /** Settings of a profile. Not thread-safe. */
  public static final class Builder {
    private final String name;
    // The figures of an H200, with driver 580.
    private long memory = 150_109_880_320L;
    private long context = CONTEXT;
    private boolean exact;
    private int multiprocessors = 132;
    private int clock = 1_980_000;
    private int memoryClock = 3_201_000;
    private int busBits = 6016;
    private long l2 = 60 * ByteSize.MIB;
    private int major = 9;
    private int minor;
    private boolean integrated;
    private boolean errorCorrection = true;
    private final Set<Capability> capabilities = EnumSet.allOf(Capability.class);

    private Builder(String name) {
      this.name = name;
    }

    /** Copies everything but the name from another profile. */
    public Builder from(DeviceProfile other) {
      Objects.requireNonNull(other, "other");
      DeviceProperties p = other.properties();
      memory = p.totalMemoryBytes();
      context = other.contextBytes;
      exact = other.exactMemory;
      multiprocessors = p.multiprocessors();
      clock = p.clockKilohertz();
      memoryClock = p.memoryClockKilohertz();
      busBits = p.memoryBusBits();
      l2 = p.l2CacheBytes();
      major = p.computeMajor();
      minor = p.computeMinor();
      integrated = p.integrated();
      errorCorrection = p.errorCorrection();
      capabilities.retainAll(other.capabilities());
      capabilities.addAll(other.capabilities());
      return this;
    }

    /**
     * Sets the memory in bytes, from 1 to {@link #MAXIMUM_MEMORY}. All of it is free, unless {@link
     * #context} is called afterwards.
     */
    public Builder memory(long bytes) {
      memory = bytes;
      context = 0;
      return this;
    }

    /** Sets the bytes that the driver takes for itself, from 0 to less than all memory. */
    public Builder context(long bytes) {
      context = bytes;
      return this;
    }

    /** Sets whether memory is taken in units of 512 bytes, and not in the driver's larger ones. */
    public Builder exactMemory(boolean value) {
      exact = value;
      return this;
    }

    /** Sets streaming multiprocessors and their clock in kHz; 0 if unknown. */
    public Builder processors(int count, int kilohertz) {
      multiprocessors = count;
      clock = kilohertz;
      return this;
    }

    /**
     * Sets the memory clock in kHz and the width of the bus in bits; 0 if unknown. If either is 0,
     * accesses to memory take no simulated time.
     */
    public Builder memoryBus(int kilohertz, int bits) {
      memoryClock = kilohertz;
      busBits = bits;
      return this;
    }

    /** Sets the L2 cache in bytes, not negative. */
    public Builder l2Cache(long bytes) {
      l2 = bytes;
      return this;
    }

    /** Sets the compute capability, not negative. */
    public Builder compute(int newMajor, int newMinor) {
      major = newMajor;
      minor = newMinor;
      return this;
    }

    /** Sets whether the device shares the host's memory. */
    public Builder integrated(boolean value) {
      integrated = value;
      return this;
    }

    /** Sets whether the device's memory is ECC protected. */
    public Builder errorCorrection(boolean value) {
      errorCorrection = value;
      return this;
    }

    /** Removes a capability. */
    public Builder without(Capability capability) {
      capabilities.remove(Objects.requireNonNull(capability, "capability"));
      return this;
    }

    /**
     * Builds the profile.
     *
     * @throws InvalidArgumentException for a figure out of its range
     */
    public DeviceProfile build() {
      return new DeviceProfile(
          new DeviceProperties(
              name,
              memory,
              multiprocessors,
              clock,
              memoryClock,
              busBits,
              l2,
              major,
              minor,
              integrated,
              errorCorrection),
          capabilities,
          context,
          exact);
    }
  }
}
