package org.vramkit.cuda;

import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPools;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.PoolCalls;

/** Creates driver pools. */
final class CudaDriverPools implements DriverPools {
  private final CudaDevice device;
  private final int version;

  CudaDriverPools(CudaDevice device, int version) {
    this.device = device;
    this.version = version;
  }

  @Override
  public DriverPool create(long maximumBytes) {
    if (maximumBytes < 0) {
      throw new InvalidArgumentException("a pool's maximum must be 0 or more, not " + maximumBytes);
    }
    if (maximumBytes != 0 && version < PoolCalls.MAXIMUM_SINCE) {
      throw new NotSupportedException(
          "pools of "
              + device
              + " cannot have a maximum of "
              + maximumBytes
              + " bytes: cuMemPoolCreate supports one from "
              + DriverVersion.text(PoolCalls.MAXIMUM_SINCE)
              + " on, but the installed driver supports "
              + DriverVersion.text(version)
              + "; update the driver, or limit the allocator");
    }
    Handle[] made = new Handle[1];
    device.context.run(
        "cuMemPoolCreate",
        () -> "cannot create a pool of " + device,
        () -> device.driver.pools().cuMemPoolCreate(made, device.getOrdinal(), maximumBytes));
    return new CudaDriverPool(device, made[0]);
  }
}
