package org.vramkit.agent;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.device.StreamKind;
import org.vramkit.sim.SimDevice;

/**
 * A context. Streams, events, modules and memory belong to one and end with it. All contexts of a
 * device share its default stream, which orders more than a driver guarantees.
 */
final class CudaContext {
  /** The version that {@code cuCtxGetApiVersion} returns, of drivers for CUDA 13. */
  static final int API_VERSION = 3020;

  final CudaProcess process;
  final long handle;

  /** The number of the context among those of the process, from 1 on. */
  final long id;

  final SimDevice device;
  final boolean primary;
  final ContextLimits limits;

  /** The flags that a context may have; some bits choose one of several ways to wait. */
  private static final int KNOWN_FLAGS = 0xff;

  private static final int WAYS_TO_WAIT = 7;

  /** The flag that the primary context always shows. */
  static final int MAP_HOST = 8;

  /** Flags of core dumps, which the primary context hides, and of which one includes the other. */
  private static final int DUMPS = 32;

  private static final int DUMPS_BY_USER = 64;

  /** Flags as given to {@code cuCtxCreate} or {@code cuDevicePrimaryCtxSetFlags}. */
  private volatile int flags;

  /** The preference of caches over shared memory, which changes no result. */
  volatile int cacheConfig;

  /** Retains of a primary context by the program. */
  private int retains;

  /** True while the runtime holds a retain of a primary context. */
  private boolean ofRuntime;

  private int attaches;
  private boolean destroyed;
  private final Set<Long> peers = ConcurrentHashMap.newKeySet();
  private final CudaStream defaultStream;
  private final Map<Long, CudaStream> threadStreams = new ConcurrentHashMap<>();

  CudaContext(CudaProcess process, SimDevice device, boolean primary) {
    this.process = process;
    this.device = device;
    this.primary = primary;
    this.limits = new ContextLimits(device);
    this.handle = process.newHandle();
    this.id = process.newId();
    this.defaultStream = new CudaStream(this, 0, device.getDefaultStream(), 0, 0);
    process.add(handle, this);
  }

  /** Sets the flags. */
  void setFlags(int given) {
    boolean isKnown = (given & ~KNOWN_FLAGS) == 0 && Integer.bitCount(given & WAYS_TO_WAIT) <= 1;
    CudaError.require(isKnown, CudaError.INVALID_VALUE);
    flags = given;
  }

  int getFlags() {
    return flags;
  }

  /** Returns the flags as {@code cuCtxGetFlags} shows them. */
  int getShownFlags() {
    int dumps = (flags & DUMPS_BY_USER) == 0 ? flags & DUMPS : DUMPS;
    int others = flags & ~DUMPS & ~DUMPS_BY_USER;
    return primary ? others | MAP_HOST : others | dumps;
  }

  synchronized boolean isActive() {
    return primary ? retains > 0 || ofRuntime : !destroyed;
  }

  /** Activates a primary context for the runtime, which retains it once. */
  synchronized void activate() {
    ofRuntime = true;
  }

  synchronized void retain() {
    retains++;
  }

  /** Counts a use by {@code cuCtxAttach}, which keeps nothing alive. */
  synchronized void attach() {
    attaches++;
  }

  /** Ends a use; returns false if there is none. */
  synchronized boolean detach() {
    return attaches > 0 && attaches-- > 0;
  }

  void release() {
    synchronized (this) {
      CudaError.require(isActive(), CudaError.INVALID_CONTEXT);
      if (retains > 0) {
        retains--;
      } else {
        ofRuntime = false;
      }
      if (isActive()) {
        return;
      }
    }
    clear();
  }

  /** Ends everything that belongs to a primary context, and its retains. */
  void reset() {
    synchronized (this) {
      retains = 0;
      ofRuntime = false;
    }
    clear();
  }

  /** Destroys a created context. */
  void destroy() {
    synchronized (this) {
      CudaError.require(!primary && !destroyed, CudaError.INVALID_CONTEXT);
      destroyed = true;
    }
    clear();
  }

  private void clear() {
    device.synchronize();
    for (CudaObject each : process.ofContext(this, CudaObject.class)) {
      each.destroy();
    }
    List.copyOf(threadStreams.values()).forEach(CudaStream::destroy);
    threadStreams.clear();
    process.memory.freeAll(this);
    limits.reset();
  }

  /** Opens or closes the memory of another device to this one. */
  void setPeer(CudaContext peer, boolean open) {
    if (open) {
      boolean possible = peer.device != device && device.getPeerAccess().canAccess(peer.device);
      CudaError.require(possible, CudaError.PEER_ACCESS_UNSUPPORTED);
      CudaError.require(peers.add(peer.handle), CudaError.PEER_ACCESS_ALREADY_ENABLED);
      device.getPeerAccess().enable(peer.device);
    } else {
      CudaError.require(peers.remove(peer.handle), CudaError.PEER_ACCESS_NOT_ENABLED);
      device.getPeerAccess().disable(peer.device);
    }
  }

  /** Returns a stream by its handle, among them the default stream and that of the thread. */
  CudaStream stream(long streamHandle) {
    if (streamHandle == CudaStream.DEFAULT || streamHandle == CudaStream.LEGACY) {
      return defaultStream;
    }
    if (streamHandle == CudaStream.PER_THREAD) {
      return threadStreams.computeIfAbsent(
          Thread.currentThread().getId(),
          thread ->
              new CudaStream(
                  this, CudaStream.PER_THREAD, device.createStream(StreamKind.BLOCKING), 0, 0));
    }
    return process.get(streamHandle, CudaStream.class, CudaError.INVALID_HANDLE);
  }
}
