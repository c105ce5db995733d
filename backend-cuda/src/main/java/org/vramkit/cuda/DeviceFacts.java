package org.vramkit.cuda;

import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.KernelLimits;
import org.vramkit.cuda.driver.CudaDriver;

/**
 * Properties and capabilities of a device, from attribute queries, which need no context. A MIG
 * slice is a separate device with its own memory and multiprocessors and has MIG in its name.
 */
final class DeviceFacts {
  private static final int MAX_NAME_BYTES = 256;

  private final CudaDriver driver;
  private final DriverErrors errors;
  private final int ordinal;
  private final int version;

  // Concurrent first reads may query twice, with the same result.
  private volatile @Nullable DeviceProperties properties;
  private volatile @Nullable Set<Capability> capabilities;
  private volatile @Nullable KernelLimits kernelLimits;

  DeviceFacts(CudaDriver driver, DriverErrors errors, int ordinal, int version) {
    this.driver = driver;
    this.errors = errors;
    this.ordinal = ordinal;
    this.version = version;
  }

  DeviceProperties getProperties() {
    DeviceProperties known = properties;
    if (known == null) {
      known = readProperties();
      properties = known;
    }
    return known;
  }

  private DeviceProperties readProperties() {
    byte[] name = new byte[MAX_NAME_BYTES];
    errors.run(
        "cuDeviceGetName", this::wanted, () -> driver.devices().cuDeviceGetName(name, ordinal));
    long[] bytes = new long[1];
    errors.run(
        "cuDeviceTotalMem", this::wanted, () -> driver.devices().cuDeviceTotalMem(bytes, ordinal));
    return new DeviceProperties(
        new String(name, StandardCharsets.US_ASCII).split("\0", 2)[0].strip(),
        bytes[0],
        attribute(DeviceAttribute.MULTIPROCESSOR_COUNT),
        attribute(DeviceAttribute.CLOCK_RATE),
        attribute(DeviceAttribute.MEMORY_CLOCK_RATE),
        attribute(DeviceAttribute.GLOBAL_MEMORY_BUS_WIDTH),
        attribute(DeviceAttribute.L2_CACHE_SIZE),
        attribute(DeviceAttribute.COMPUTE_CAPABILITY_MAJOR),
        attribute(DeviceAttribute.COMPUTE_CAPABILITY_MINOR),
        attribute(DeviceAttribute.INTEGRATED) != 0,
        attribute(DeviceAttribute.ECC_ENABLED) != 0);
  }

  KernelLimits getKernelLimits() {
    KernelLimits known = kernelLimits;
    if (known == null) {
      known =
          new KernelLimits(
              attribute(DeviceAttribute.MAX_THREADS_PER_BLOCK),
              attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK),
              attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
              attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
              attribute(DeviceAttribute.MAX_REGISTERS_PER_MULTIPROCESSOR),
              attribute(DeviceAttribute.MAX_THREADS_PER_MULTIPROCESSOR),
              attribute(DeviceAttribute.MAX_BLOCKS_PER_MULTIPROCESSOR));
      kernelLimits = known;
    }
    return known;
  }

  Set<Capability> getCapabilities() {
    Set<Capability> known = capabilities;
    if (known == null) {
      known = Set.copyOf(readCapabilities());
      capabilities = known;
    }
    return known;
  }

  /**
   * Queries the capabilities. Checks the version first, because a function that the driver lacks
   * must not be looked up.
   */
  private Set<Capability> readCapabilities() {
    Set<Capability> found = EnumSet.of(Capability.PINNED_HOST_MEMORY);
    for (Requirement each : Requirement.values()) {
      if (whyMissing(each) == null) {
        found.add(each.capability);
      }
    }
    if (hasPeer()) {
      found.add(Capability.PEER_ACCESS);
    }
    return found;
  }

  private @Nullable String whyMissing(Requirement wanted) {
    String from = DriverVersion.text(wanted.since);
    if (!wanted.isBoundBy(driver)) {
      return "the binding lacks "
          + wanted.function
          + ", which drivers have from "
          + from
          + " on; use another binding";
    }
    if (version < wanted.since) {
      return wanted.function
          + " needs a driver of "
          + from
          + ", the installed one supports "
          + DriverVersion.text(version)
          + "; update it";
    }
    String absent = wanted.absentOf(driver);
    if (absent != null) {
      return "the installed driver lacks "
          + absent
          + ", which drivers have from "
          + from
          + " on; update it";
    }
    DeviceAttribute needed = wanted.attribute;
    return needed == null || attribute(needed) != 0 ? null : "the GPU has no " + needed;
  }

  /** Returns the reason why the device lacks a capability. */
  String whyMissing(Capability capability) {
    for (Requirement each : Requirement.values()) {
      if (each.capability == capability) {
        return String.valueOf(whyMissing(each));
      }
    }
    return "it cannot access any other GPU";
  }

  private boolean hasPeer() {
    int[] count = new int[1];
    errors.run("cuDeviceGetCount", this::wanted, () -> driver.devices().cuDeviceGetCount(count));
    for (int peer = 0; peer < count[0]; peer++) {
      if (peer != ordinal && canAccess(peer)) {
        return true;
      }
    }
    return false;
  }

  private boolean canAccess(int peer) {
    int[] can = new int[1];
    errors.run(
        "cuDeviceCanAccessPeer",
        this::wanted,
        () -> driver.devices().cuDeviceCanAccessPeer(can, ordinal, peer));
    return can[0] != 0;
  }

  private int attribute(DeviceAttribute attribute) {
    int[] value = new int[1];
    errors.run(
        "cuDeviceGetAttribute",
        () -> wanted() + " (" + attribute + ")",
        () -> driver.devices().cuDeviceGetAttribute(value, attribute.getNumber(), ordinal));
    return value[0];
  }

  private String wanted() {
    return "cannot query the properties of device " + ordinal;
  }
}
