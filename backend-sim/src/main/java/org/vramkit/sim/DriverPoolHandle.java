package org.vramkit.sim;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.DriverPoolStatistics;
import org.vramkit.api.device.Stream;

/**
 * A driver pool in its user's hands. The device knows only the pool itself, so that it can be seen
 * when nobody closed it.
 */
final class DriverPoolHandle implements DriverPool {
  private final SimDriverPool pool;

  DriverPoolHandle(SimDriverPool pool) {
    this.pool = pool;
  }

  long getHandle() {
    return pool.getHandle();
  }

  @Override
  public Device getDevice() {
    return pool.getDevice();
  }

  @Override
  public long allocate(long bytes, Stream stream) {
    return pool.allocate(bytes, stream);
  }

  @Override
  public void free(long address, Stream stream) {
    pool.free(address, stream);
  }

  @Override
  public void setReleaseThreshold(long bytes) {
    pool.setReleaseThreshold(bytes);
  }

  @Override
  public void setReuse(DriverPoolReuse reuse, boolean enabled) {
    pool.setReuse(reuse, enabled);
  }

  @Override
  public void setAccess(Device device, boolean allowed) {
    pool.setAccess(device, allowed);
  }

  @Override
  public DriverPoolStatistics getStatistics() {
    return pool.getStatistics();
  }

  @Override
  public void trim(long keepBytes) {
    pool.trim(keepBytes);
  }

  @Override
  public void close() {
    pool.close();
  }

  @Override
  public String toString() {
    return pool.toString();
  }
}
