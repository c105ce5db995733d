package org.vramkit.sim;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.PageLockedBytes.Locked;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.AddressSpace.RegionKind;
import org.vramkit.sim.memory.PhysicalMemory;

/**
 * Page-locked and managed host memory in direct buffers. Each has at most 2 GiB - 9 bytes, all of
 * them together {@code -XX:MaxDirectMemorySize}. Larger requests of page-locked memory are out of
 * memory; large managed memory lies in files.
 */
final class SimPinnedMemory implements PinnedMemory {
  private static final long LARGEST = Integer.MAX_VALUE - 8L;

  /** A page of the process. */
  private static final int PAGE = 4096;

  /** Managed memory above this size lies in a sparse file, because it may exceed all memory. */
  private static final long LARGE_MANAGED = 16 * ByteSize.MIB;

  /** Addresses of managed memory have 47 bits, as those of a process. */
  private static final long LARGEST_MANAGED = 128 * ByteSize.TIB;

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
          Engine.requirePositive(bytes);
          device.engine.callForMemory(function, device.ordinal, bytes, device.budget.total);
          boolean isUnified = device.engine.hostAddresses != null;
          if (kind == RegionKind.MANAGED && bytes > LARGE_MANAGED && !isUnified) {
            return keep(kind, sparse(function, bytes), false, end);
          }
          ByteBuffer content = isUnified ? page(function, bytes) : allocate(function, bytes);
          boolean isNew = kind == RegionKind.PINNED && device.engine.bytes;
          SimPinnedBuffer buffer = keep(kind, HostMemory.of(content), isNew, end);
          lock(buffer, content, end);
          return buffer;
        },
        buffer -> buffer.address);
  }

  /** Allocates direct memory, whose JVM limit models the limit of page-locked memory. */
  private ByteBuffer allocate(DriverFunction function, long bytes) {
    if (bytes > LARGEST) {
      throw outOfMemory(function, bytes, "ask for smaller buffers", null);
    }
    try {
      return ByteBuffer.allocateDirect((int) bytes);
    } catch (OutOfMemoryError first) {
      device.engine.checker.hostWrites.forgetClosed();
    }
    try {
      return ByteBuffer.allocateDirect((int) bytes);
    } catch (OutOfMemoryError e) {
      throw outOfMemory(
          function, bytes, "raise -XX:MaxDirectMemorySize, close buffers or ask for less", e);
    }
  }

  /** Allocates direct memory that begins a page of the process. */
  private ByteBuffer page(DriverFunction function, long bytes) {
    ByteBuffer room = allocate(function, bytes + PAGE);
    return room.slice((PAGE - room.alignmentOffset(0, PAGE)) % PAGE, (int) bytes);
  }

  private static HostMemory sparse(DriverFunction function, long bytes) {
    if (bytes > LARGEST_MANAGED) {
      throw new DeviceOutOfMemoryException(
          "out of memory: asked for %s of managed memory; a device has addresses for %s"
              .formatted(ByteSize.format(bytes), ByteSize.format(LARGEST_MANAGED)),
          bytes,
          Fault.OUT_OF_MEMORY.status(function.getFunctionName()),
          null);
    }
    try {
      return HostMemory.sparse(bytes);
    } catch (UncheckedIOException e) {
      throw new DeviceOutOfMemoryException(
          "out of memory: large managed memory lies in temporary files; close buffers, or make room"
              + " in the folder -Djava.io.tmpdir",
          bytes,
          Fault.OUT_OF_MEMORY.status(function.getFunctionName()),
          e);
    }
  }

  private static DeviceOutOfMemoryException outOfMemory(
      DriverFunction function, long bytes, String remedy, @Nullable OutOfMemoryError cause) {
    return new DeviceOutOfMemoryException(
        ("out of memory: asked for %s of host memory; a simulated buffer has at most 2 GiB - 9 B,"
                + " and all of them have what the JVM allows for direct memory"
                + " (-XX:MaxDirectMemorySize): %s")
            .formatted(ByteSize.format(bytes), remedy),
        bytes,
        Fault.OUT_OF_MEMORY.status(function.getFunctionName()),
        cause);
  }

  @Override
  public SimPinnedBuffer register(ByteBuffer memory) {
    Objects.requireNonNull(memory, "memory");
    if (!memory.isDirect() || memory.isReadOnly() || !memory.hasRemaining()) {
      throw new InvalidArgumentException(
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
          DriverFunction end = DriverFunction.MEM_HOST_UNREGISTER;
          device.engine.call(DriverFunction.MEM_HOST_REGISTER, device.ordinal, bytes.capacity());
          SimPinnedBuffer buffer =
              keep(RegionKind.PINNED, HostMemory.of(requireUnlocked(bytes)), false, end);
          lock(buffer, bytes, end);
          return buffer;
        },
        buffer -> buffer.address);
  }

  private void lock(SimPinnedBuffer buffer, ByteBuffer bytes, DriverFunction end) {
    device.engine.pageLocked.add(
        buffer.address,
        new Locked(
            bytes,
            device.ordinal,
            end == DriverFunction.MEM_HOST_UNREGISTER,
            end == DriverFunction.MEM_FREE));
  }

  private ByteBuffer requireUnlocked(ByteBuffer bytes) {
    DriverFunction function = DriverFunction.MEM_HOST_REGISTER;
    device.engine.requireSafe(function);
    Locked known = device.engine.pageLocked.overlapping(bytes);
    if (known == null) {
      return bytes;
    }
    String wanted =
        "cannot page-lock %s bytes, some of which are page-locked already; close the buffer that"
            + " locked them first";
    if (!known.registered()) {
      throw device.engine.invalid(function, wanted.formatted(bytes.capacity()));
    }
    throw new InvalidArgumentException(
        wanted.formatted(bytes.capacity()),
        new DriverStatus(
            712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", function.getFunctionName()));
  }

  private SimPinnedBuffer keep(
      RegionKind kind, HostMemory content, boolean isNew, DriverFunction end) {
    Engine engine = device.engine;
    int ordinal = device.ordinal;
    long size = content.size;
    ToLongFunction<ByteBuffer> unified = engine.hostAddresses;
    long address =
        unified == null
            ? engine.space.hostBlocks.allocate(size)
            : unified.applyAsLong(content.view(0, (int) size));
    if (address < 0) {
      content.close();
      throw new DeviceOutOfMemoryException(size, DriverStatus.NONE);
    }
    boolean managed = kind == RegionKind.MANAGED;
    LeakKind leak = managed ? LeakKind.MANAGED_BUFFER : LeakKind.PINNED_BUFFER;
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
    engine.openHandles.add(leak, ordinal, address, size);
    engine.space.add(
        Region.backed(kind, ordinal, address, size, new PhysicalMemory(ordinal, size, bytes)));
    engine.checker.pinned.allocated(bytes.range(0, size));
    if (managed) {
      engine.managed.put(address, new ManagedPages(engine.budgets, address, size));
    }
    SimPinnedBuffer buffer = new SimPinnedBuffer(device, address, bytes, end);
    engine.openHandles.watch(leak, address, buffer);
    return buffer;
  }
}
