package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.AddressSpace.RegionKind;
import org.vramkit.sim.memory.PhysicalMemory;

/**
 * Page-locked host memory in direct buffers, of at most 2 GiB - 9 bytes each, and {@code
 * -XX:MaxDirectMemorySize} in total. Larger requests are out of memory.
 */
final class SimPinnedMemory implements PinnedMemory {
  private static final long LARGEST = Integer.MAX_VALUE - 8L;
  private static final long ALIGNMENT = 4096;

  private final DeviceCore device;

  SimPinnedMemory(DeviceCore device) {
    this.device = device;
  }

  @Override
  public SimPinnedBuffer allocate(long bytes) {
    return allocate(
        "allocate-pinned",
        RegionKind.PINNED,
        bytes,
        DriverFunction.MEM_ALLOC_HOST,
        DriverFunction.MEM_FREE_HOST);
  }

  /** Allocates managed memory, which is addressed and checked like page-locked memory. */
  SimPinnedBuffer manage(long bytes) {
    return allocate(
        "allocate-managed",
        RegionKind.MANAGED,
        bytes,
        DriverFunction.MEM_ALLOC_MANAGED,
        DriverFunction.MEM_FREE);
  }

  private SimPinnedBuffer allocate(
      String call, RegionKind kind, long bytes, DriverFunction function, DriverFunction end) {
    return device.recording.make(
        call,
        step -> device.on(step).value(bytes),
        () -> {
          if (bytes <= 0) {
            throw device.engine.invalid(function, "cannot allocate " + bytes + " bytes");
          }
          device.engine.call(function, bytes);
          if (bytes > LARGEST) {
            throw device.engine.outOfMemory(function, bytes);
          }
          boolean isNew = kind == RegionKind.PINNED && device.engine.bytes;
          return keep(kind, allocate(function, (int) bytes), isNew, end);
        },
        buffer -> buffer.address);
  }

  /** Allocates direct memory, whose JVM limit models the limit of page-locked memory. */
  private ByteBuffer allocate(DriverFunction function, int bytes) {
    try {
      return ByteBuffer.allocateDirect(bytes);
    } catch (OutOfMemoryError first) {
      device.engine.checker.hostWrites.forgetClosed();
    }
    try {
      return ByteBuffer.allocateDirect(bytes);
    } catch (OutOfMemoryError e) {
      throw new DeviceOutOfMemoryException(
          "out of memory: asked for %s, more than the JVM's direct memory has left; raise it by"
                  .formatted(ByteSize.format(bytes))
              + " -XX:MaxDirectMemorySize, or close buffers",
          bytes,
          Fault.OUT_OF_MEMORY.status(function.getFunctionName()),
          e);
    }
  }

  @Override
  public SimPinnedBuffer register(ByteBuffer memory) {
    Objects.requireNonNull(memory, "memory");
    DriverFunction function = DriverFunction.MEM_HOST_REGISTER;
    if (!memory.isDirect() || memory.isReadOnly() || !memory.hasRemaining()) {
      throw device.engine.invalid(
          function,
          "cannot page-lock %s: give a direct buffer that can be written and has bytes remaining"
              .formatted(memory));
    }
    ByteBuffer bytes = memory.slice();
    // Checked before recording: a replay uses its own memory and would succeed.
    device.recording.unrecorded(() -> requireUnlocked(bytes));
    return device.recording.make(
        "register-pinned",
        step -> device.on(step).value(bytes.capacity()),
        () -> {
          device.engine.call(function, bytes.capacity());
          return keep(
              RegionKind.PINNED, requireUnlocked(bytes), false, DriverFunction.MEM_HOST_UNREGISTER);
        },
        buffer -> buffer.address);
  }

  private ByteBuffer requireUnlocked(ByteBuffer bytes) {
    if (device.engine.pageLocked.overlap(bytes)) {
      throw new InvalidArgumentException(
          ("cannot page-lock %s bytes, some of which are page-locked already; close the buffer that"
                  + " locked them first")
              .formatted(bytes.capacity()),
          new DriverStatus(
              712,
              "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
              DriverFunction.MEM_HOST_REGISTER.getFunctionName()));
    }
    return bytes;
  }

  private SimPinnedBuffer keep(
      RegionKind kind, ByteBuffer content, boolean isNew, DriverFunction end) {
    Engine engine = device.engine;
    int ordinal = device.ordinal;
    long size = content.capacity();
    long rounded = (size + ALIGNMENT - 1) & -ALIGNMENT;
    long address = engine.space.hostArena.allocate(rounded, ALIGNMENT);
    LeakKind leak = kind == RegionKind.MANAGED ? LeakKind.MANAGED_BUFFER : LeakKind.PINNED_BUFFER;
    HostBytes bytes =
        new HostBytes(
            ordinal,
            address,
            content,
            isNew,
            engine.checker.hostWrites,
            (first, count) ->
                device.recording.note(
                    "host-changes", step -> step.device(ordinal).writes(first, count)));
    if (kind == RegionKind.PINNED) {
      engine.pageLocked.add(address, content);
    }
    engine.openHandles.add(leak, ordinal, address, size);
    engine.space.add(
        Region.backed(kind, ordinal, address, size, new PhysicalMemory(rounded, bytes)));
    engine.checker.pinned.allocated(bytes.range(0, size));
    SimPinnedBuffer buffer = new SimPinnedBuffer(device, address, rounded, bytes, end);
    engine.openHandles.watch(leak, address, buffer);
    return buffer;
  }
}
