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
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.sim.DriverPoolMemory.Block;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.recording.CallNote;

/**
 * A driver pool. All three reuse policies are enabled at first, as in the driver, and the release
 * threshold is 0. The device refers only to {@link DriverPoolMemory}, so that a pool that was never
 * closed can be garbage-collected and reported.
 */
final class SimDriverPool implements DriverPool {
  private static final String IN_STREAM_ORDER =
      "allocate before the capture begins and free after the last launch, or capture into a private"
          + " pool of a CachingAllocator";

  private final DeviceCore device;
  private final SimDeviceMemory plain;
  private final Engine engine;
  final long handle;
  private final DriverPoolMemory memory;
  private final Set<Integer> accessors = new HashSet<>();
  private boolean closed;

  SimDriverPool(DeviceCore device, SimDeviceMemory plain, long handle, long maximum) {
    this.device = device;
    this.plain = plain;
    this.engine = device.engine;
    this.handle = handle;
    this.memory = new DriverPoolMemory(device, maximum, accessors);
    device.pools.add(memory);
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
          Engine.requirePositive(bytes);
          // The default pool is that of the stream's device.
          StreamQueue stream = handle == 0 ? device.ours(onStream) : device.ofBackend(onStream);
          stream.requireOpen();
          Captures.requireUncaptured(stream, "allocate in stream order", IN_STREAM_ORDER);
          device.captures.requireNoneBlockingKeeping(stream);
          stream.callForMemory(allocation(), bytes, device.budget.total);
          stream.followDefaultStream();
          Block block = memory.allocate(bytes, stream);
          if (block == null) {
            throw engine.outOfMemory(allocation(), bytes);
          }
          engine.checker.memory.allocated(
              "stream-ordered allocation",
              device.ordinal,
              block.address(),
              bytes,
              stream.clock,
              block.lastAddress());
          engine.openHandles.add(LeakKind.POOL_ALLOCATION, device.ordinal, block.address(), bytes);
          return block.address();
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
          if (engine.isClosed()) {
            // The memory has ended with the backend, and is no leak although the call is refused.
            engine.openHandles.remove(LeakKind.POOL_ALLOCATION, address);
            engine.openHandles.remove(LeakKind.ALLOCATION, address);
          }
          requireOpen();
          StreamQueue stream = device.ofBackend(onStream);
          stream.requireOpen();
          Captures.requireUncaptured(stream, "free in stream order", IN_STREAM_ORDER);
          DriverFunction function = DriverFunction.MEM_FREE_ASYNC;
          device.captures.requireNoneBlockingKeeping(stream);
          if (address == 0) {
            stream.call(function, 0);
            return;
          }
          engine.requireSafe(function);
          DriverPoolMemory owner = device.anyPoolOf(address);
          if (owner == null) {
            plain.freeInOrder(address, stream);
            return;
          }
          owner.requireOpen(address);
          stream.call(function, owner.sizeOf(address));
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
          memory.setThreshold(bytes);
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
          memory.setReuse(way, enabled);
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
          boolean own = other == device.device;
          if (!own) {
            requirePeerAccess(other);
          }
          engine.call(DriverFunction.MEM_POOL_SET_ACCESS, device.ordinal, 0);
          if (own && !allowed) {
            throw new DriverException(
                "cannot take the access to %s away from its own device".formatted(this),
                Fault.INVALID_DEVICE.status(DriverFunction.MEM_POOL_SET_ACCESS.getFunctionName()));
          }
          if (allowed) {
            accessors.add(other.getOrdinal());
          } else if (accessors.remove(other.getOrdinal())) {
            engine.checker.memory.closed(other.getOrdinal(), memory::has);
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
          return memory.getStatistics();
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
            throw new InvalidArgumentException("keepBytes must be 0 or more, not " + keepBytes);
          }
          engine.call(DriverFunction.MEM_POOL_TRIM_TO, device.ordinal, keepBytes);
          long before = memory.reservedBytes();
          memory.releaseUnused(keepBytes);
          engine.costsMore(engine.costs.getPoolTrimNanos(before - memory.reservedBytes()));
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
          engine.requireSafe(DriverFunction.MEM_POOL_DESTROY);
          memory.close();
          device.forgetClosedPools();
          engine.releaseHandle(
              LeakKind.POOL, device.ordinal, handle, DriverFunction.MEM_POOL_DESTROY, 0);
          memory.destroyed();
        });
  }

  @Override
  public String toString() {
    return "driver pool 0x" + Long.toHexString(handle) + " of device " + device.ordinal;
  }
}
