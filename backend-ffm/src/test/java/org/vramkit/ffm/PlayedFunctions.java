package org.vramkit.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.HostMemory;

/**
 * The functions of {@code libcuda} with the parameters of its header, over a driver in Java: 64
 * bits are a long, 32 an int, an unsigned char a byte. Pointers and structures are read and written
 * where C would. Every method is a function; {@link Since} tells its variant.
 */
@SuppressWarnings("UnusedMethod") // called by native code
final class PlayedFunctions {
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  private static final int LONGEST_NAME = 256;

  private final CudaDriver driver;
  private final Map<Long, Handle> contexts = new ConcurrentHashMap<>();
  private final Map<Long, Handle> streams = new ConcurrentHashMap<>();
  private final Map<Long, Handle> events = new ConcurrentHashMap<>();
  private final Map<Long, Handle> pools = new ConcurrentHashMap<>();
  private final Map<Long, Handle> graphs = new ConcurrentHashMap<>();

  /** By where their bytes are in the host's memory; the simulator has addresses of its own. */
  private final ConcurrentSkipListMap<Long, Locked> host = new ConcurrentSkipListMap<>();

  private record Locked(HostMemory memory, long bytes) {}

  PlayedFunctions(CudaDriver driver) {
    this.driver = driver;
    streams.put(0L, driver.streams().getDefaultStream());
  }

  private static void put(long pointer, long value) {
    ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, pointer, value);
  }

  private static void putInt(long pointer, int value) {
    ALL.set(ValueLayout.JAVA_INT_UNALIGNED, pointer, value);
  }

  private static long get(long pointer) {
    return ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, pointer);
  }

  private static int getInt(long pointer) {
    return ALL.get(ValueLayout.JAVA_INT_UNALIGNED, pointer);
  }

  private static ByteBuffer bytes(long pointer, long size) {
    return MemorySegment.ofAddress(pointer).reinterpret(size).asByteBuffer();
  }

  /** Puts a handle behind a pointer, if there is one, and remembers it. */
  private static int told(int result, Handle[] made, Map<Long, Handle> known, long pointer) {
    if (made[0] != null) {
      known.put(made[0].getAddress(), made[0]);
      put(pointer, made[0].getAddress());
    }
    return result;
  }

  private static int told(int result, long value, long pointer) {
    put(pointer, value);
    return result;
  }

  private static int told(int result, int[] value, long pointer) {
    putInt(pointer, value[0]);
    return result;
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
    return told(result, made, contexts, pctx);
  }

  @Since(value = 11000, exported = "cuDevicePrimaryCtxRelease_v2")
  int cuDevicePrimaryCtxRelease(int dev) {
    return driver.contexts().cuDevicePrimaryCtxRelease(dev);
  }

  @Since(4000)
  int cuCtxGetCurrent(long pctx) {
    Handle[] found = new Handle[1];
    int result = driver.contexts().cuCtxGetCurrent(found);
    return told(result, found, contexts, pctx);
  }

  @Since(4000)
  int cuCtxSetCurrent(long ctx) {
    return driver.contexts().cuCtxSetCurrent(known(contexts, ctx));
  }

  @Since(2000)
  int cuCtxSynchronize() {
    return driver.contexts().cuCtxSynchronize();
  }

  @Since(4000)
  int cuCtxEnablePeerAccess(long peer, int flags) {
    return flags == 0
        ? driver.contexts().cuCtxEnablePeerAccess(known(contexts, peer))
        : CudaResult.INVALID_VALUE;
  }

  @Since(4000)
  int cuCtxDisablePeerAccess(long peer) {
    return driver.contexts().cuCtxDisablePeerAccess(known(contexts, peer));
  }

  /** A handle that somebody was given; another one would end a real process. */
  private static Handle known(Map<Long, Handle> handles, long address) {
    Handle found = handles.get(address);
    if (found == null) {
      throw new AssertionError("no handle 0x" + Long.toHexString(address));
    }
    return found;
  }

  private Handle stream(long address) {
    return known(streams, address);
  }

  @Since(2000)
  int cuStreamCreate(long phStream, int flags) {
    Handle[] made = new Handle[1];
    return told(driver.streams().cuStreamCreate(made, flags), made, streams, phStream);
  }

  @Since(2000)
  int cuStreamQuery(long stream) {
    return driver.streams().cuStreamQuery(stream(stream));
  }

  @Since(2000)
  int cuStreamSynchronize(long stream) {
    return driver.streams().cuStreamSynchronize(stream(stream));
  }

  @Since(3020)
  int cuStreamWaitEvent(long stream, long event, int flags) {
    return flags == 0
        ? driver.streams().cuStreamWaitEvent(stream(stream), known(events, event))
        : CudaResult.INVALID_VALUE;
  }

  @Since(value = 4000, exported = "cuStreamDestroy_v2")
  int cuStreamDestroy(long stream) {
    return driver.streams().cuStreamDestroy(stream(stream));
  }

  @Since(2000)
  int cuEventCreate(long phEvent, int flags) {
    Handle[] made = new Handle[1];
    return told(driver.events().cuEventCreate(made, flags), made, events, phEvent);
  }

  @Since(2000)
  int cuEventRecord(long event, long stream) {
    return driver.events().cuEventRecord(known(events, event), stream(stream));
  }

  @Since(2000)
  int cuEventQuery(long event) {
    return driver.events().cuEventQuery(known(events, event));
  }

  @Since(2000)
  int cuEventSynchronize(long event) {
    return driver.events().cuEventSynchronize(known(events, event));
  }

  @Since(value = 4000, exported = "cuEventDestroy_v2")
  int cuEventDestroy(long event) {
    return driver.events().cuEventDestroy(known(events, event));
  }

  @Since(value = 3020, exported = "cuMemGetInfo_v2")
  int cuMemGetInfo(long free, long total) {
    long[] both = new long[2];
    int result = driver.memory().cuMemGetInfo(both);
    put(free, both[0]);
    return told(result, both[1], total);
  }

  @Since(value = 3020, exported = "cuMemAlloc_v2")
  int cuMemAlloc(long dptr, long size) {
    long[] made = new long[1];
    int result = driver.memory().cuMemAlloc(made, size);
    return told(result, made[0], dptr);
  }

  @Since(value = 3020, exported = "cuMemFree_v2")
  int cuMemFree(long dptr) {
    long address = simulated(dptr);
    host.remove(dptr);
    return driver.memory().cuMemFree(address);
  }

  @Since(value = 3020, exported = "cuMemAllocHost_v2")
  int cuMemAllocHost(long pp, long size) {
    HostMemory[] made = new HostMemory[1];
    return lock(driver.memory().cuMemAllocHost(made, size), made, size, pp);
  }

  private int lock(int result, HostMemory[] made, long size, long pointer) {
    if (result == CudaResult.SUCCESS) {
      long first = MemorySegment.ofBuffer(made[0].view(0, Math.toIntExact(size))).address();
      host.put(first, new Locked(made[0], size));
      put(pointer, first);
    }
    return result;
  }

  private HostMemory unlocked(long pointer) {
    Locked found = host.remove(pointer);
    if (found == null) {
      throw new AssertionError("no page-locked memory at 0x" + Long.toHexString(pointer));
    }
    return found.memory();
  }

  @Since(2000)
  int cuMemFreeHost(long pointer) {
    return driver.memory().cuMemFreeHost(unlocked(pointer));
  }

  @Since(6000)
  int cuMemAllocManaged(long dptr, long size, int flags) {
    if (flags != 1) {
      return CudaResult.INVALID_VALUE;
    }
    HostMemory[] made = new HostMemory[1];
    return lock(driver.memory().cuMemAllocManaged(made, size), made, size, dptr);
  }

  @Since(value = 6050, exported = "cuMemHostRegister_v2")
  int cuMemHostRegister(long pointer, long size, int flags) {
    if (flags != 3) {
      return CudaResult.INVALID_VALUE;
    }
    HostMemory[] made = new HostMemory[1];
    int result = driver.memory().cuMemHostRegister(made, bytes(pointer, size));
    if (result == CudaResult.SUCCESS) {
      host.put(pointer, new Locked(made[0], size));
    }
    return result;
  }

  @Since(4000)
  int cuMemHostUnregister(long pointer) {
    return driver.memory().cuMemHostUnregister(unlocked(pointer));
  }

  /** What the simulator calls an address that may lie in the host's memory. */
  private long simulated(long address) {
    Map.Entry<Long, Locked> found = host.floorEntry(address);
    return found == null || address - found.getKey() > found.getValue().bytes()
        ? address
        : found.getValue().memory().getAddress() + address - found.getKey();
  }

  @Since(3020)
  int cuMemsetD8Async(long target, byte value, long size, long stream) {
    return driver.copies().cuMemsetD8Async(simulated(target), value, size, stream(stream));
  }

  @Since(4000)
  int cuMemcpyAsync(long target, long source, long size, long stream) {
    return driver
        .copies()
        .cuMemcpyAsync(simulated(target), simulated(source), size, stream(stream));
  }

  private Map.@Nullable Entry<Long, Locked> locked(long address, long size) {
    Map.Entry<Long, Locked> found = host.floorEntry(address);
    return found == null || address + size > found.getKey() + found.getValue().bytes()
        ? null
        : found;
  }

  @Since(value = 3020, exported = "cuMemcpyHtoDAsync_v2")
  int cuMemcpyHtoDAsync(long target, long source, long size, long stream) {
    Map.Entry<Long, Locked> from = locked(source, size);
    long to = simulated(target);
    return from == null
        ? driver.copies().cuMemcpyHtoDAsync(to, bytes(source, size), stream(stream))
        : driver
            .copies()
            .cuMemcpyHtoDAsync(
                to, from.getValue().memory(), source - from.getKey(), size, stream(stream));
  }

  @Since(value = 3020, exported = "cuMemcpyDtoHAsync_v2")
  int cuMemcpyDtoHAsync(long target, long source, long size, long stream) {
    Map.Entry<Long, Locked> to = locked(target, size);
    long from = simulated(source);
    return to == null
        ? driver.copies().cuMemcpyDtoHAsync(bytes(target, size), from, stream(stream))
        : driver
            .copies()
            .cuMemcpyDtoHAsync(
                to.getValue().memory(), target - to.getKey(), from, size, stream(stream));
  }

  @Since(11020)
  int cuMemAllocAsync(long dptr, long size, long stream) {
    long[] made = new long[1];
    int result = driver.pools().cuMemAllocAsync(made, size, stream(stream));
    return told(result, made[0], dptr);
  }

  @Since(11020)
  int cuMemFreeAsync(long dptr, long stream) {
    return driver.pools().cuMemFreeAsync(dptr, stream(stream));
  }

  /** 88 bytes: what it is, whom it is shared with, where it lies, security, most, reserved. */
  @Since(11020)
  int cuMemPoolCreate(long pool, long properties) {
    if (getInt(properties) != 1
        || getInt(properties + 4) != 0
        || getInt(properties + 8) != 1
        || get(properties + 16) != 0) {
      return CudaResult.INVALID_VALUE;
    }
    for (int reserved = 32; reserved < 88; reserved += 8) {
      if (get(properties + reserved) != 0) {
        return CudaResult.INVALID_VALUE;
      }
    }
    Handle[] made = new Handle[1];
    int result =
        driver.pools().cuMemPoolCreate(made, getInt(properties + 12), get(properties + 24));
    return told(result, made, pools, pool);
  }

  @Since(11020)
  int cuMemPoolDestroy(long pool) {
    return driver.pools().cuMemPoolDestroy(known(pools, pool));
  }

  @Since(11020)
  int cuMemAllocFromPoolAsync(long dptr, long size, long pool, long stream) {
    long[] made = new long[1];
    int result =
        driver.pools().cuMemAllocFromPoolAsync(made, size, known(pools, pool), stream(stream));
    return told(result, made[0], dptr);
  }

  @Since(11020)
  int cuMemPoolSetAccess(long pool, long map, long count) {
    if (count != 1 || getInt(map) != 1) {
      return CudaResult.INVALID_VALUE;
    }
    return driver
        .pools()
        .cuMemPoolSetAccess(known(pools, pool), getInt(map + 4), getInt(map + 8) == 3);
  }

  @Since(11020)
  int cuMemPoolTrimTo(long pool, long keep) {
    return driver.pools().cuMemPoolTrimTo(known(pools, pool), keep);
  }

  /** Policies of reuse are ints. */
  @Since(11020)
  int cuMemPoolSetAttribute(long pool, int attribute, long value) {
    return driver
        .poolAttributes()
        .cuMemPoolSetAttribute(
            known(pools, pool), attribute, attribute <= 3 ? getInt(value) : get(value));
  }

  @Since(11020)
  int cuMemPoolGetAttribute(long pool, int attribute, long value) {
    long[] found = new long[1];
    int result =
        driver.poolAttributes().cuMemPoolGetAttribute(known(pools, pool), attribute, found);
    return told(result, found[0], value);
  }

  /** 32 bytes: what it is, whom it is shared with, where it lies, security, flags; its device. */
  private static int deviceOf(long properties) {
    boolean asExpected =
        getInt(properties) == 1
            && getInt(properties + 4) == 0
            && getInt(properties + 8) == 1
            && get(properties + 16) == 0
            && get(properties + 24) == 0;
    return asExpected ? getInt(properties + 12) : -1;
  }

  @Since(10020)
  int cuMemGetAllocationGranularity(long granularity, long properties, int option) {
    if (option != 0 || deviceOf(properties) < 0) {
      return CudaResult.INVALID_VALUE;
    }
    long[] found = new long[1];
    int result = driver.virtualMemory().cuMemGetAllocationGranularity(found, deviceOf(properties));
    return told(result, found[0], granularity);
  }

  @Since(10020)
  int cuMemAddressReserve(long pointer, long size, long alignment, long wanted, long flags) {
    if (alignment != 0 || wanted != 0 || flags != 0) {
      return CudaResult.INVALID_VALUE;
    }
    long[] made = new long[1];
    int result = driver.virtualMemory().cuMemAddressReserve(made, size);
    return told(result, made[0], pointer);
  }

  @Since(10020)
  int cuMemAddressFree(long address, long size) {
    return driver.virtualMemory().cuMemAddressFree(address, size);
  }

  @Since(10020)
  int cuMemCreate(long handle, long size, long properties, long flags) {
    if (flags != 0 || deviceOf(properties) < 0) {
      return CudaResult.INVALID_VALUE;
    }
    long[] made = new long[1];
    int result = driver.virtualMemory().cuMemCreate(made, size, deviceOf(properties));
    return told(result, made[0], handle);
  }

  @Since(10020)
  int cuMemRelease(long handle) {
    return driver.virtualMemory().cuMemRelease(handle);
  }

  @Since(10020)
  int cuMemMap(long address, long size, long offset, long handle, long flags) {
    return offset == 0 && flags == 0
        ? driver.virtualMemory().cuMemMap(address, size, handle)
        : CudaResult.INVALID_VALUE;
  }

  @Since(10020)
  int cuMemSetAccess(long address, long size, long map, long count) {
    return count == 1 && getInt(map) == 1 && getInt(map + 8) == 3
        ? driver.virtualMemory().cuMemSetAccess(address, size, getInt(map + 4))
        : CudaResult.INVALID_VALUE;
  }

  @Since(10020)
  int cuMemUnmap(long address, long size) {
    return driver.virtualMemory().cuMemUnmap(address, size);
  }

  @Since(value = 10010, exported = "cuStreamBeginCapture_v2")
  int cuStreamBeginCapture(long stream, int mode) {
    return driver.graphs().cuStreamBeginCapture(stream(stream), mode);
  }

  @Since(10000)
  int cuStreamEndCapture(long stream, long graph) {
    Handle[] made = new Handle[1];
    return told(driver.graphs().cuStreamEndCapture(stream(stream), made), made, graphs, graph);
  }

  @Since(10000)
  int cuStreamIsCapturing(long stream, long status) {
    int[] found = new int[1];
    return told(driver.graphs().cuStreamIsCapturing(stream(stream), found), found, status);
  }

  @Since(10010)
  int cuThreadExchangeStreamCaptureMode(long mode) {
    int[] exchanged = {getInt(mode)};
    return told(driver.graphs().cuThreadExchangeStreamCaptureMode(exchanged), exchanged, mode);
  }

  @Since(11040)
  int cuGraphInstantiateWithFlags(long executable, long graph, long flags) {
    if (flags != 0) {
      return CudaResult.INVALID_VALUE;
    }
    Handle[] made = new Handle[1];
    int result = driver.graphs().cuGraphInstantiate(made, known(graphs, graph));
    return told(result, made, graphs, executable);
  }

  @Since(10000)
  int cuGraphLaunch(long executable, long stream) {
    return driver.graphs().cuGraphLaunch(known(graphs, executable), stream(stream));
  }

  @Since(10000)
  int cuGraphExecDestroy(long executable) {
    return driver.graphs().cuGraphExecDestroy(known(graphs, executable));
  }

  @Since(10000)
  int cuGraphDestroy(long graph) {
    return driver.graphs().cuGraphDestroy(known(graphs, graph));
  }
}
