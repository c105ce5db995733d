package org.vramkit.cuda;

import java.nio.charset.StandardCharsets;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.KernelLimits;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.DeviceCalls;
import org.vramkit.sim.SimDevice;

/** The driver's version, its devices and their properties. */
final class SimulatedDevices extends SimulatedCalls implements DeviceCalls {
  private int version = 13000;

  SimulatedDevices(SimulatedProcess process) {
    super(process);
  }

  void version(int value) {
    version = value;
  }

  @Override
  public String nameOf(int result) {
    return "SIMULATED_" + result;
  }

  @Override
  public int cuInit() {
    return CudaResult.SUCCESS;
  }

  @Override
  public int cuDriverGetVersion(int[] result) {
    result[0] = version;
    return CudaResult.SUCCESS;
  }

  @Override
  public int cuDeviceGetCount(int[] count) {
    count[0] = sim.getDevices().size();
    return CudaResult.SUCCESS;
  }

  @Override
  public int cuDeviceGetName(byte[] name, int ordinal) {
    byte[] text = sim.getDevice(ordinal).getProperties().name().getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(text, 0, name, 0, text.length);
    return CudaResult.SUCCESS;
  }

  @Override
  public int cuDeviceTotalMem(long[] bytes, int ordinal) {
    bytes[0] = sim.getDevice(ordinal).getProperties().totalMemoryBytes();
    return CudaResult.SUCCESS;
  }

  @Override
  public int cuDeviceGetAttribute(int[] value, int attribute, int ordinal) {
    for (DeviceAttribute each : DeviceAttribute.values()) {
      if (each.getNumber() == attribute) {
        value[0] = value(each, ordinal);
        return CudaResult.SUCCESS;
      }
    }
    return CudaResult.INVALID_VALUE;
  }

  @Override
  public int cuDeviceCanAccessPeer(int[] can, int ordinal, int peer) {
    return code(
        () -> {
          SimDevice from = sim.getDevice(ordinal);
          can[0] =
              from.supports(Capability.PEER_ACCESS)
                      && from.getPeerAccess().canAccess(sim.getDevice(peer))
                  ? 1
                  : 0;
        });
  }

  private int value(DeviceAttribute attribute, int ordinal) {
    SimDevice device = sim.getDevice(ordinal);
    DeviceProperties properties = device.getProperties();
    KernelLimits limits = device.getKernelLimits();
    return switch (attribute) {
      case MAX_THREADS_PER_BLOCK -> limits.threadsPerBlock();
      case MAX_SHARED_MEMORY_PER_BLOCK -> limits.sharedBytesPerBlock();
      case MAX_SHARED_MEMORY_PER_BLOCK_OPTIN -> limits.sharedBytesPerBlockOptIn();
      case MAX_SHARED_MEMORY_PER_MULTIPROCESSOR -> limits.sharedBytesPerMultiprocessor();
      case MAX_REGISTERS_PER_MULTIPROCESSOR -> limits.registersPerMultiprocessor();
      case MAX_THREADS_PER_MULTIPROCESSOR -> limits.threadsPerMultiprocessor();
      case MAX_BLOCKS_PER_MULTIPROCESSOR -> limits.blocksPerMultiprocessor();
      case CLOCK_RATE -> properties.clockKilohertz();
      case MULTIPROCESSOR_COUNT -> properties.multiprocessors();
      case INTEGRATED -> properties.integrated() ? 1 : 0;
      case ECC_ENABLED -> properties.errorCorrection() ? 1 : 0;
      case MEMORY_CLOCK_RATE -> properties.memoryClockKilohertz();
      case GLOBAL_MEMORY_BUS_WIDTH -> properties.memoryBusBits();
      case L2_CACHE_SIZE -> Math.toIntExact(properties.l2CacheBytes());
      case COMPUTE_CAPABILITY_MAJOR -> properties.computeMajor();
      case COMPUTE_CAPABILITY_MINOR -> properties.computeMinor();
      case CONCURRENT_MANAGED_ACCESS -> device.supports(Capability.MANAGED_MEMORY) ? 1 : 0;
      case VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ->
          device.supports(Capability.VIRTUAL_MEMORY) ? 1 : 0;
      case MEMORY_POOLS_SUPPORTED -> device.supports(Capability.DRIVER_POOLS) ? 1 : 0;
    };
  }
}
