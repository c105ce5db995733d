package org.vramkit.pool.caching;

import org.vramkit.api.device.Device;

/** A user's source of segments: plain allocation, counted. */
public final class CountingSource implements SegmentSource {
  private final Device device;
  public int taken;
  public int given;

  public CountingSource(Device device) {
    this.device = device;
  }

  @Override
  public long allocate(long bytes) {
    taken++;
    return device.getMemory().allocate(bytes);
  }

  @Override
  public void free(long address, long bytes) {
    given++;
    device.getMemory().free(address);
  }
}
