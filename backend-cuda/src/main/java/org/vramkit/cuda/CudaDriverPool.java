package org.vramkit.cuda;

import java.util.Objects;
import java.util.function.IntSupplier;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.DriverPoolStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.PoolAttributeCalls;
import org.vramkit.cuda.driver.PoolCalls;

/** A driver pool that this backend created. */
final class CudaDriverPool implements DriverPool {
  private final CudaDevice device;
  private final Handle handle;
  private final PoolCalls calls;
  private final PoolAttributeCalls attributes;
  private final Lifetime life = new Lifetime(this::destroy);

  CudaDriverPool(CudaDevice device, Handle handle) {
    this.device = device;
    this.handle = handle;
    this.calls = device.driver.pools();
    this.attributes = device.driver.poolAttributes();
    device.context.open.add(OpenHandles.Kind.POOL, handle.getAddress(), 0);
  }

  private void destroy() {
    device.context.open.destroyPool(
        handle.getAddress(),
        () ->
            device.context.release(
                "cuMemPoolDestroy",
                () -> "cannot destroy " + this,
                () -> calls.cuMemPoolDestroy(handle)));
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public long allocate(long bytes, Stream stream) {
    long[] address = new long[1];
    life.enter(this);
    try {
      return CudaDefaultPool.allocate(
          device,
          handle.getAddress(),
          "cuMemAllocFromPoolAsync",
          bytes,
          device.ofBackend(stream),
          on -> calls.cuMemAllocFromPoolAsync(address, bytes, handle, on),
          address);
    } finally {
      life.leave();
    }
  }

  @Override
  public void free(long address, Stream stream) {
    life.enter(this);
    try {
      CudaDefaultPool.free(device, address, stream);
    } finally {
      life.leave();
    }
  }

  @Override
  public void setReleaseThreshold(long bytes) {
    if (bytes < 0) {
      throw new InvalidArgumentException("a release threshold must be 0 or more, not " + bytes);
    }
    set(PoolAttributeCalls.RELEASE_THRESHOLD, bytes);
  }

  @Override
  public void setReuse(DriverPoolReuse reuse, boolean enabled) {
    int attribute =
        switch (reuse) {
          case FOLLOW_EVENT_DEPENDENCIES -> PoolAttributeCalls.REUSE_FOLLOW_EVENT_DEPENDENCIES;
          case OPPORTUNISTIC -> PoolAttributeCalls.REUSE_ALLOW_OPPORTUNISTIC;
          case INTERNAL_DEPENDENCIES -> PoolAttributeCalls.REUSE_ALLOW_INTERNAL_DEPENDENCIES;
        };
    set(attribute, enabled ? 1 : 0);
  }

  @Override
  public void setAccess(Device other, boolean allowed) {
    Objects.requireNonNull(other, "device");
    use("cuMemPoolSetAccess", () -> calls.cuMemPoolSetAccess(handle, other.getOrdinal(), allowed));
  }

  @Override
  public DriverPoolStatistics getStatistics() {
    return new DriverPoolStatistics(
        get(PoolAttributeCalls.USED_MEM_CURRENT),
        get(PoolAttributeCalls.USED_MEM_HIGH),
        get(PoolAttributeCalls.RESERVED_MEM_CURRENT),
        get(PoolAttributeCalls.RESERVED_MEM_HIGH));
  }

  private void set(int attribute, long value) {
    device.requireSupported(Capability.DRIVER_POOL_ATTRIBUTES);
    use("cuMemPoolSetAttribute", () -> attributes.cuMemPoolSetAttribute(handle, attribute, value));
  }

  private long get(int attribute) {
    device.requireSupported(Capability.DRIVER_POOL_ATTRIBUTES);
    long[] value = new long[1];
    use("cuMemPoolGetAttribute", () -> attributes.cuMemPoolGetAttribute(handle, attribute, value));
    return value[0];
  }

  @Override
  public void trim(long keepBytes) {
    if (keepBytes < 0) {
      throw new InvalidArgumentException("keepBytes must be 0 or more, not " + keepBytes);
    }
    use("cuMemPoolTrimTo", () -> calls.cuMemPoolTrimTo(handle, keepBytes));
  }

  private void use(String call, IntSupplier body) {
    life.enter(this);
    try {
      device.context.run(call, () -> "cannot use " + this, body);
    } finally {
      life.leave();
    }
  }

  @Override
  public void close() {
    life.close();
  }

  @Override
  public String toString() {
    return "pool 0x" + Long.toHexString(handle.getAddress()) + " of " + device;
  }
}
