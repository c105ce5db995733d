package org.vramkit.sim;

import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.DriverPoolStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.sim.DriverPoolChunks.Chunk;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.recording.CallNote;

/**
 * A driver pool. Keeps freed chunks whole and reuses one that is at most an eighth larger than
 * requested; the real driver splits and merges chunks, so its figures differ in detail. All three
 * reuse policies are enabled at first, as in the driver, and the release threshold is 0. The device
 * refers only to {@link DriverPoolChunks}, so that a pool that was never closed can be
 * garbage-collected and reported.
 */
final class SimDriverPool implements DriverPool {
  private static final String IN_STREAM_ORDER =
      "allocate before the capture begins and free after the last launch, or capture into a private"
          + " pool of a CachingAllocator";

  private final DeviceCore device;
  private final SimDeviceMemory memory;
  private final Engine engine;
  final long handle;
  private final DriverPoolChunks chunks;
  private final Set<Integer> accessors = new HashSet<>();
  private boolean closed;

  SimDriverPool(DeviceCore device, SimDeviceMemory memory, long handle, long maximum) {
    this.device = device;
    this.memory = memory;
    this.engine = device.engine;
    this.handle = handle;
    this.chunks = new DriverPoolChunks(device, maximum);
    device.pools.add(chunks);
  }

  private CallNote of(CallNote step) {
    return device.on(step, handle);
  }

  @Override
  public Device getDevice() {
    return device.device;
  }

  private DriverFunction allocation() {
    return handle == 0 ? DriverFunction.MEM_ALLOC_ASYNC : DriverFunction.MEM_ALLOC_FROM_POOL_ASYNC;
  }

  private void requireOpen() {
    if (closed) {
      engine.checker.apiErrors.closed("driver pool 0x" + Long.toHexString(handle));
      throw new ClosedException(
          "driver pool 0x" + Long.toHexString(handle),
          "it has no memory any more",
          "use an open pool, or make a new one");
    }
  }

  @Override
  public long allocate(long bytes, Stream onStream) {
    Objects.requireNonNull(onStream, "stream");
    return device.recording.make(
        "pool-allocate",
        step -> device.note(of(step), onStream).value(bytes),
        () -> {
          requireOpen();
          StreamQueue stream = device.ours(onStream);
          stream.requireOpen();
          Captures.requireUncaptured(stream, "allocate in stream order", IN_STREAM_ORDER);
          if (bytes <= 0) {
            throw engine.invalid(allocation(), "cannot allocate " + bytes + " bytes");
          }
          stream.call(allocation(), bytes);
          stream.followDefaultStream();
          Chunk chunk = chunks.allocate(bytes, stream);
          if (chunk == null) {
            throw engine.outOfMemory(allocation(), bytes);
          }
          engine.space.add(
              Region.pooled(
                  device.ordinal,
                  chunk.address,
                  // The whole chunk, because queued work of its last owner may access all of it.
                  chunk.bytes,
                  chunk.physical,
                  accessors));
          engine.checker.memory.allocated(
              "stream-ordered allocation",
              device.ordinal,
              chunk.address,
              bytes,
              stream.clock,
              chunk.lastAddress);
          engine.openHandles.add(LeakKind.POOL_ALLOCATION, device.ordinal, chunk.address, bytes);
          return chunk.address;
        },
        Long::longValue);
  }

  /** Frees memory of this or another pool, or plain memory: the driver's call is the same. */
  @Override
  public void free(long address, Stream onStream) {
    Objects.requireNonNull(onStream, "stream");
    device.recording.perform(
        "pool-free",
        step -> device.note(of(step), onStream).writes(address, 0),
        () -> {
          StreamQueue stream = device.ofBackend(onStream);
          stream.requireOpen();
          Captures.requireUncaptured(stream, "free in stream order", IN_STREAM_ORDER);
          DriverPoolChunks owner = device.poolOf(address);
          if (owner == null) {
            memory.freeInOrder(address, stream);
            return;
          }
          stream.call(DriverFunction.MEM_FREE_ASYNC, owner.sizeOf(address));
          stream.followDefaultStream();
          engine.checker.memory.freedInOrder(address, stream.clock);
          engine.openHandles.remove(LeakKind.POOL_ALLOCATION, address);
          owner.free(address, stream);
        });
  }

  @Override
  public void setReleaseThreshold(long bytes) {
    device.recording.perform(
        "set-pool-threshold",
        step -> of(step).value(bytes),
        () -> {
          attributes(DriverFunction.MEM_POOL_SET_ATTRIBUTE);
          if (bytes < 0) {
            throw new InvalidArgumentException(
                "release threshold must not be negative: " + bytes + " bytes");
          }
          chunks.setThreshold(bytes);
        });
  }

  @Override
  public void setReuse(DriverPoolReuse way, boolean enabled) {
    Objects.requireNonNull(way, "reuse");
    device.recording.perform(
        "set-pool-reuse",
        step -> of(step).text(way.name()).value(enabled ? 1 : 0),
        () -> {
          attributes(DriverFunction.MEM_POOL_SET_ATTRIBUTE);
          chunks.setReuse(way, enabled);
        });
  }

  @Override
  public void setAccess(Device other, boolean allowed) {
    Objects.requireNonNull(other, "device");
    device.recording.perform(
        "set-pool-access",
        step -> of(step).value(other.getOrdinal()).text(allowed ? "allowed" : "forbidden"),
        () -> {
          requireOpen();
          device.requireOfBackend(other);
          requirePeerAccess(other);
          engine.call(DriverFunction.MEM_POOL_SET_ACCESS, device.ordinal, 0);
          if (allowed) {
            accessors.add(other.getOrdinal());
          } else if (accessors.remove(other.getOrdinal())) {
            engine.checker.memory.closed(other.getOrdinal(), chunks::has);
          }
        });
  }

  private void requirePeerAccess(Device other) {
    boolean supported = device.device.supports(Capability.PEER_ACCESS);
    boolean otherSupported = other.supports(Capability.PEER_ACCESS);
    if (!supported || !otherSupported) {
      String lacking =
          supported
              ? "device " + other.getOrdinal() + " does"
              : otherSupported ? "device " + device.ordinal + " does" : "both devices do";
      throw new NotSupportedException(
          ("cannot change the access of device %s to %s: %s not support peer access; copy the bytes"
                  + " through page-locked memory")
              .formatted(other.getOrdinal(), this, lacking));
    }
  }

  @Override
  public DriverPoolStatistics getStatistics() {
    return device.recording.unrecorded(
        () -> {
          attributes(DriverFunction.MEM_POOL_GET_ATTRIBUTE);
          return chunks.getStatistics();
        });
  }

  private void attributes(DriverFunction function) {
    requireOpen();
    if (!device.device.supports(Capability.DRIVER_POOL_ATTRIBUTES)) {
      throw new NotSupportedException(
          "device " + device.ordinal + " has no attributes of driver pools");
    }
    engine.call(function, device.ordinal, 0);
  }

  @Override
  public void trim(long keepBytes) {
    device.recording.perform(
        "trim-pool",
        step -> of(step).value(keepBytes),
        () -> {
          requireOpen();
          if (keepBytes < 0) {
            throw new InvalidArgumentException("cannot keep " + keepBytes + " bytes");
          }
          engine.call(DriverFunction.MEM_POOL_TRIM_TO, device.ordinal, keepBytes);
          chunks.releaseUnused(keepBytes);
        });
  }

  @Override
  public void close() {
    device.recording.perform(
        "close-pool",
        this::of,
        () -> {
          if (closed || handle == 0) {
            return;
          }
          closed = true;
          chunks.close();
          engine.releaseHandle(
              LeakKind.POOL, device.ordinal, handle, DriverFunction.MEM_POOL_DESTROY, 0);
        });
  }

  @Override
  public String toString() {
    return "driver pool 0x" + Long.toHexString(handle) + " of device " + device.ordinal;
  }
}
