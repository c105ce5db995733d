package org.vramkit.cuda;

import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPools;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.Handle;

/** Makes pools of the driver. */
final class CudaDriverPools implements DriverPools {
  private final CudaDevice device;

  CudaDriverPools(CudaDevice device) {
    this.device = device;
  }

  @Override
  public DriverPool create(long maximumBytes) {
    if (maximumBytes < 0) {
      throw new InvalidArgumentException("a pool's maximum must not be negative: " + maximumBytes);
    }
    Handle[] made = new Handle[1];
    device.context.run(
        "cuMemPoolCreate",
        () -> "cannot create a pool of " + device,
        () -> device.driver.pools().cuMemPoolCreate(made, device.getOrdinal(), maximumBytes));
    return new CudaDriverPool(device, made[0]);
  }
}
