package org.vramkit.bench.trace;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.units.ByteSize;

/** Unlimited memory with unique addresses and handles, without any checks. */
final class ClockMemory implements DeviceMemory, VirtualMemory {
  private static final long GRANULARITY = 2 * ByteSize.MIB;

  private long nextAddress = 1L << 40;
  private long nextHandle = 1;

  @Override
  public long allocate(long bytes) {
    return reserve(bytes);
  }

  @Override
  public void free(long address) {}

  @Override
  public long getGranularity() {
    return GRANULARITY;
  }

  @Override
  public long reserve(long bytes) {
    long address = nextAddress;
    nextAddress += ByteSize.roundUp(bytes, GRANULARITY);
    return address;
  }

  @Override
  public void unreserve(long address, long bytes) {}

  @Override
  public long create(long bytes) {
    return nextHandle++;
  }

  @Override
  public void release(long handle) {}

  @Override
  public void map(long address, long bytes, long handle) {}

  @Override
  public void setAccess(long address, long bytes, Device device) {}

  @Override
  public void unmap(long address, long bytes) {}
}
