package org.vramkit.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.DriverPool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimBackendProvider;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.Strictness;

/**
 * The driver's state of a process: devices, contexts, and the objects behind handles.
 *
 * <pre>
 * program -> binding's Java wrapper -> NativeCalls -> handler -> CudaProcess -> SimBackend
 * </pre>
 *
 * <p>There is one at a time. A test begins and ends one of its own, so that handles of earlier
 * tests are unknown to it; without a test, the first call begins one that lasts. Safe for any
 * thread.
 */
final class CudaProcess {
  private static final long FIRST_HANDLE = 0x5500_0000_1000L;
  private static final long BETWEEN_HANDLES = 0x10;

  private static volatile @Nullable CudaProcess current;

  final SimBackend backend;
  final CudaMemory memory = new CudaMemory();

  /** True once the driver was initialized, by {@code cuInit} or by a call of the runtime. */
  volatile boolean initialized;

  private final Map<Long, Object> objects = new ConcurrentHashMap<>();
  private final AtomicLong nextHandle = new AtomicLong(FIRST_HANDLE);
  private final AtomicLong nextId = new AtomicLong(1);
  private final Map<Integer, CudaPool> defaultPools = new HashMap<>();

  /** Pools that the program has set, by devices. */
  private final Map<Integer, CudaPool> pools = new HashMap<>();

  private final List<CudaContext> primaries = new ArrayList<>();

  private CudaProcess(SimBackend backend) {
    this.backend = backend;
    for (int ordinal = 0; ordinal < getDeviceCount(); ordinal++) {
      primaries.add(new CudaContext(this, backend.getDevice(ordinal), true));
    }
  }

  /** Returns the process, which begins with the first call. */
  static CudaProcess get() {
    CudaProcess known = current;
    return known == null ? begin() : known;
  }

  /** Begins a process if there is none, on the simulator of the calling thread's test, if any. */
  static synchronized CudaProcess begin() {
    CudaProcess known = current;
    if (known == null) {
      known = new CudaProcess(open());
      known.backend.useHostAddresses(DirectMemory::addressOf);
      current = known;
    }
    return known;
  }

  /** Opens the simulator of the test, or one whose reports show the program's lines. */
  private static SimBackend open() {
    SimBackendProvider provider = new SimBackendProvider();
    if (provider.getPriority() == Integer.MAX_VALUE) {
      return (SimBackend) provider.open();
    }
    SimBackend.Builder builder =
        SimBackend.builder()
            .checker(CheckerOptions.DEFAULT.withStacks(true).withStrictness(Strictness.LENIENT));
    int devices = Integer.getInteger(SimBackendProvider.DEVICES_PROPERTY, 1);
    for (int ordinal = 0; ordinal < devices; ordinal++) {
      builder.device(DeviceProfile.H200);
    }
    return builder.build();
  }

  /** Ends the process, whose simulator stays open. Returns it; null if none has begun. */
  static synchronized @Nullable CudaProcess end() {
    CudaProcess known = current;
    current = null;
    return known;
  }

  int getDeviceCount() {
    return backend.getDevices().size();
  }

  /** Returns the primary context of a device, which may be inactive. */
  CudaContext primary(long device) {
    CudaError.require(device >= 0 && device < primaries.size(), CudaError.INVALID_DEVICE);
    return primaries.get((int) device);
  }

  /** Returns the pool that a device has from the beginning. */
  synchronized CudaPool defaultPool(SimDevice device) {
    return defaultPools.computeIfAbsent(
        device.getOrdinal(),
        ordinal -> new CudaPool(this, (DriverPool) device.getStreamOrderedMemory()));
  }

  /** Returns the pool that a device allocates from. */
  synchronized CudaPool pool(SimDevice device) {
    CudaPool set = pools.get(device.getOrdinal());
    return set == null ? defaultPool(device) : set;
  }

  synchronized void setPool(SimDevice device, CudaPool pool) {
    pools.put(device.getOrdinal(), pool);
  }

  /** Lets devices allocate from their default pool again, since theirs is destroyed. */
  synchronized void forgetPool(CudaPool pool) {
    pools.values().remove(pool);
  }

  synchronized boolean isDefault(CudaPool pool) {
    return defaultPools.containsValue(pool);
  }

  /** Gives an object a handle. */
  long newHandle() {
    return nextHandle.getAndAdd(BETWEEN_HANDLES);
  }

  /** Gives a context or a stream its number. */
  long newId() {
    return nextId.getAndIncrement();
  }

  void add(long handle, Object object) {
    objects.put(handle, object);
  }

  void remove(long handle) {
    objects.remove(handle);
  }

  /** Returns the object of a handle; null for none. */
  @Nullable Object find(long handle) {
    return objects.get(handle);
  }

  /** Returns the object of a handle, or refuses the call with a status. */
  <T> T get(long handle, Class<T> type, int status) {
    Object found = CudaError.found(objects.get(handle), status);
    CudaError.require(type.isInstance(found), status);
    return type.cast(found);
  }

  /** Returns the open objects of a kind that belong to a context. */
  <T extends CudaObject> List<T> ofContext(CudaContext context, Class<T> type) {
    return objects.values().stream()
        .filter(type::isInstance)
        .map(type::cast)
        .filter(each -> each.context == context)
        .toList();
  }
}
