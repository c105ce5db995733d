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

  private static final int MANAGED = 2;
  private static final int ON_DEVICE = 1;

  /** The device, the host and its nodes. */
  private static final int MOST_PLACES = 3;

  /** Descriptors of files, and handles of fabrics. */
  private static final long SHAREABLE = 1 | 8;

  private DriverPools() {}

  static void cuMemPoolCreate(Result pool, Struct properties) {
    Struct location = properties.nested("location");
    long kind = properties.get("allocType");
    long place = location.get("type");
    boolean isKnown = (kind == PINNED || kind == MANAGED) && place > 0 && place <= MOST_PLACES;
    boolean isShared = properties.get("handleTypes") != 0;
    CudaError.require(isKnown, CudaError.INVALID_VALUE);
    CudaError.require((properties.get("handleTypes") & ~SHAREABLE) == 0, CudaError.INVALID_VALUE);
    if (isShared || kind == MANAGED || place != ON_DEVICE) {
      throw new UnsupportedOperationException(
          "pools of the host, of managed memory and for other processes are not simulated");
    }
    long most = properties.has("maxSize") ? properties.get("maxSize") : 0;
    SimDevice device = device((int) location.get("id"));
    DriverPool made = device.getDriverPools().create(most);
    pool.set(new CudaPool(CudaProcess.get(), made).handle);
  }

  static void cuMemPoolDestroy(long pool) {
    CudaProcess process = CudaProcess.get();
    CudaPool found = CudaPool.of(pool);
    CudaError.require(!process.isDefault(found), CudaError.INVALID_VALUE);
    process.remove(pool);
    process.forgetPool(found);
    // The program may still free memory of the pool.
    if (found.pool.getStatistics().usedBytes() == 0) {
      found.pool.close();
    }
  }

  static void cuDeviceGetDefaultMemPool(Result pool, int device) {
    pool.set(CudaProcess.get().defaultPool(DriverDevices.device(device)).handle);
  }

  /** Returns a device, whose number is a wrong value here and no wrong device. */
  private static SimDevice device(int device) {
    boolean isKnown = device >= 0 && device < CudaProcess.get().getDeviceCount();
    CudaError.require(isKnown, CudaError.INVALID_VALUE);
    return DriverDevices.device(device);
  }

  /** Returns the pool from which a device allocates in stream order. */
  static void cuDeviceGetMemPool(Result pool, int device) {
    pool.set(CudaProcess.get().pool(device(device)).handle);
  }

  static void cuDeviceSetMemPool(int device, long pool) {
    SimDevice of = device(device);
    CudaPool found = CudaPool.of(pool);
    CudaError.require(found.pool.getDevice() == of, CudaError.INVALID_VALUE);
    CudaProcess.get().setPool(of, found);
  }

  static void cuMemAllocFromPoolAsync(Result pointer, long bytes, long pool, long stream) {
    pointer.set(0);
    CudaStream on = CudaThread.current().context().stream(stream);
    DriverMemory.allocate(pointer, bytes, on, CudaPool.of(pool));
  }

  static void cuMemPoolTrimTo(long pool, long keepBytes) {
    // The driver takes the bytes as unsigned.
    CudaPool.of(pool).pool.trim(keepBytes < 0 ? Long.MAX_VALUE : keepBytes);
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
    DriverVirtualMemory.changeAccess(
        access,
        count,
        CudaError.NOT_SUPPORTED,
        CudaError.NOT_SUPPORTED,
        CudaError.INVALID_DEVICE,
        CudaPool.of(pool).pool::setAccess);
  }
}
