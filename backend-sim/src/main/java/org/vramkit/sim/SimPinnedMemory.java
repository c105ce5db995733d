package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.program.StepKind;

/** Page-locked host memory: direct buffers, so at most 2 GiB - 8 bytes each. */
final class SimPinnedMemory implements PinnedMemory {
  private static final long LARGEST = Integer.MAX_VALUE - 8L;
  private static final long ALIGNMENT = 4096;

  private final SimDevice device;

  SimPinnedMemory(SimDevice device) {
    this.device = device;
  }

  @Override
  public SimPinnedBuffer allocate(long bytes) {
    return device.recording.make(
        StepKind.ALLOCATE_PINNED,
        step -> step.device(device.getOrdinal()).value(bytes),
        () -> {
          DriverFunction function = DriverFunction.MEM_ALLOC_HOST;
          if (bytes <= 0) {
            throw device.engine.invalid(function, "cannot allocate " + bytes + " bytes");
          }
          device.engine.call(function, bytes);
          if (bytes > LARGEST) {
            throw device.engine.outOfMemory(function, bytes);
          }
          ByteBuffer memory = ByteBuffer.allocateDirect((int) bytes);
          return lock(
              device.engine.bytes ? Unwritten.fill(memory) : memory, DriverFunction.MEM_FREE_HOST);
        },
        SimPinnedBuffer::address);
  }

  @Override
  public SimPinnedBuffer register(ByteBuffer memory) {
    Objects.requireNonNull(memory, "memory");
    DriverFunction function = DriverFunction.MEM_HOST_REGISTER;
    if (!memory.isDirect() || memory.isReadOnly() || !memory.hasRemaining()) {
      throw device.engine.invalid(
          function,
          "cannot page-lock "
              + memory
              + ": give a direct buffer that can be written and has bytes remaining");
    }
    ByteBuffer bytes = memory.slice();
    // Before the step: run again, it has memory of its own and would succeed.
    device.recording.unrecorded(() -> requireUnlocked(bytes));
    return device.recording.make(
        StepKind.REGISTER_PINNED,
        step -> step.device(device.getOrdinal()).value(bytes.capacity()),
        () -> {
          device.engine.call(function, bytes.capacity());
          return lock(requireUnlocked(bytes), DriverFunction.MEM_HOST_UNREGISTER);
        },
        SimPinnedBuffer::address);
  }

  private ByteBuffer requireUnlocked(ByteBuffer bytes) {
    if (device.engine.pageLocked.overlap(bytes)) {
      throw new InvalidArgumentException(
          "cannot page-lock "
              + bytes.capacity()
              + " bytes of which some are page-locked already; close what locked them first",
          new DriverStatus(
              712,
              "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
              DriverFunction.MEM_HOST_REGISTER.getFunctionName()));
    }
    return bytes;
  }

  private SimPinnedBuffer lock(ByteBuffer content, DriverFunction end) {
    Engine engine = device.engine;
    long bytes = content.capacity();
    long rounded = (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    long address = engine.space.getHostArena().take(rounded, ALIGNMENT);
    engine.pageLocked.add(address, content);
    engine.holdings.hold(LeakKind.PINNED_BUFFER, device.getOrdinal(), address, bytes);
    SimPinnedBuffer buffer = new SimPinnedBuffer(device, address, rounded, content, end);
    engine.holdings.watch(LeakKind.PINNED_BUFFER, address, buffer);
    return buffer;
  }
}
