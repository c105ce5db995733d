package org.vramkit.agent;

import org.vramkit.agent.Arguments.Result;
import org.vramkit.agent.Arguments.Struct;
import org.vramkit.agent.Arguments.Structs;
import org.vramkit.api.device.DriverPool;
import org.vramkit.sim.SimDevice;

/** The driver: memory pools. */
final class DriverPools {
  /** Pinned memory of a device, without handles for other processes: the pools there are. */
  private static final int PINNED = 1;

  private static final int ON_DEVICE = 1;

  private DriverPools() {}

  static void cuMemPoolCreate(Result pool, Struct properties) {
    Struct location = properties.nested("location");
    boolean isKnown = properties.get("allocType") == PINNED && location.get("type") == ON_DEVICE;
    CudaError.require(isKnown, CudaError.INVALID_VALUE);
    if (properties.get("handleTypes") != 0) {
      throw new UnsupportedOperationException("pools for other processes are not simulated");
    }
    long most = properties.has("maxSize") ? properties.get("maxSize") : 0;
    SimDevice device = DriverDevices.device((int) location.get("id"));
    DriverPool made = device.getDriverPools().create(most);
    pool.set(new CudaPool(CudaProcess.get(), made).handle);
  }

  static void cuMemPoolDestroy(long pool) {
    CudaProcess process = CudaProcess.get();
    CudaPool found = CudaPool.of(pool);
    CudaError.require(!process.isDefault(found), CudaError.INVALID_VALUE);
    process.remove(pool);
    process.forgetPool(found);
    found.pool.close();
  }

  static void cuDeviceGetDefaultMemPool(Result pool, int device) {
    pool.set(CudaProcess.get().defaultPool(DriverDevices.device(device)).handle);
  }

  /** Returns the pool from which a device allocates in stream order. */
  static void cuDeviceGetMemPool(Result pool, int device) {
    pool.set(CudaProcess.get().pool(DriverDevices.device(device)).handle);
  }

  static void cuDeviceSetMemPool(int device, long pool) {
    SimDevice of = DriverDevices.device(device);
    CudaPool found = CudaPool.of(pool);
    CudaError.require(found.pool.getDevice() == of, CudaError.INVALID_VALUE);
    CudaProcess.get().setPool(of, found);
  }

  static void cuMemAllocFromPoolAsync(Result pointer, long bytes, long pool, long stream) {
    CudaPool from = CudaPool.of(pool);
    CudaStream on = CudaThread.current().context().stream(stream);
    pointer.set(CudaProcess.get().memory.allocate(on, from.pool, bytes));
  }

  static void cuMemPoolTrimTo(long pool, long keepBytes) {
    CudaPool.of(pool).pool.trim(keepBytes);
  }

  static void cuMemPoolSetAttribute(long pool, int attribute, CudaPointer value) {
    if (CudaPool.isChoice(attribute)) {
      CudaPool.of(pool).setChoice(attribute, value.readInt() != 0);
    } else {
      CudaPool.of(pool).setAttribute(attribute, value.readLong());
    }
  }

  static void cuMemPoolGetAttribute(long pool, int attribute, CudaPointer value) {
    long known = CudaPool.of(pool).getAttribute(attribute);
    if (CudaPool.isChoice(attribute)) {
      value.write((int) known);
    } else {
      value.write(known);
    }
  }

  static void cuMemPoolSetAccess(long pool, Structs access, long count) {
    DriverVirtualMemory.changeAccess(access, count, CudaPool.of(pool).pool::setAccess);
  }
}
