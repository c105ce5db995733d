package org.vramkit.ffm;

import static org.vramkit.ffm.Pointers.bytes;
import static org.vramkit.ffm.Pointers.put;
import static org.vramkit.ffm.Pointers.told;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;

/** Devices, contexts and names of results. */
@SuppressWarnings("UnusedMethod") // called by native code
final class PlayedDevices {
  private static final int LONGEST_NAME = 256;

  private final CudaDriver driver;
  private final PlayedHandles contexts = new PlayedHandles();

  PlayedDevices(CudaDriver driver) {
    this.driver = driver;
  }

  @Since(6000)
  int cuGetErrorName(int error, long pStr) {
    byte[] name = (driver.devices().nameOf(error) + "\0").getBytes(StandardCharsets.US_ASCII);
    MemorySegment text = Arena.global().allocate(LONGEST_NAME);
    text.asByteBuffer().put(name);
    put(pStr, text.address());
    return CudaResult.SUCCESS;
  }

  @Since(2000)
  int cuInit(int flags) {
    return flags == 0 ? driver.devices().cuInit() : CudaResult.INVALID_VALUE;
  }

  @Since(2020)
  int cuDriverGetVersion(long version) {
    int[] value = new int[1];
    return told(driver.devices().cuDriverGetVersion(value), value, version);
  }

  @Since(2000)
  int cuDeviceGetCount(long count) {
    int[] value = new int[1];
    return told(driver.devices().cuDeviceGetCount(value), value, count);
  }

  @Since(2000)
  int cuDeviceGetName(long name, int len, int dev) {
    byte[] text = new byte[len];
    int result = driver.devices().cuDeviceGetName(text, dev);
    bytes(name, len).put(text);
    return result;
  }

  @Since(value = 3020, exported = "cuDeviceTotalMem_v2")
  int cuDeviceTotalMem(long bytes, int dev) {
    long[] value = new long[1];
    int result = driver.devices().cuDeviceTotalMem(value, dev);
    return told(result, value[0], bytes);
  }

  @Since(2000)
  int cuDeviceGetAttribute(long pi, int attribute, int dev) {
    int[] value = new int[1];
    return told(driver.devices().cuDeviceGetAttribute(value, attribute, dev), value, pi);
  }

  @Since(4000)
  int cuDeviceCanAccessPeer(long can, int dev, int peer) {
    int[] value = new int[1];
    return told(driver.devices().cuDeviceCanAccessPeer(value, dev, peer), value, can);
  }

  @Since(7000)
  int cuDevicePrimaryCtxRetain(long pctx, int dev) {
    Handle[] made = new Handle[1];
    int result = driver.contexts().cuDevicePrimaryCtxRetain(made, dev);
    return contexts.told(result, made, pctx);
  }

  @Since(value = 11000, exported = "cuDevicePrimaryCtxRelease_v2")
  int cuDevicePrimaryCtxRelease(int dev) {
    return driver.contexts().cuDevicePrimaryCtxRelease(dev);
  }

  @Since(4000)
  int cuCtxGetCurrent(long pctx) {
    Handle[] found = new Handle[1];
    int result = driver.contexts().cuCtxGetCurrent(found);
    return contexts.told(result, found, pctx);
  }

  @Since(4000)
  int cuCtxSetCurrent(long ctx) {
    return driver.contexts().cuCtxSetCurrent(contexts.known(ctx));
  }

  @Since(2000)
  int cuCtxSynchronize() {
    return driver.contexts().cuCtxSynchronize();
  }

  @Since(4000)
  int cuCtxEnablePeerAccess(long peer, int flags) {
    return flags == 0
        ? driver.contexts().cuCtxEnablePeerAccess(contexts.known(peer))
        : CudaResult.INVALID_VALUE;
  }

  @Since(4000)
  int cuCtxDisablePeerAccess(long peer) {
    return driver.contexts().cuCtxDisablePeerAccess(contexts.known(peer));
  }
}
