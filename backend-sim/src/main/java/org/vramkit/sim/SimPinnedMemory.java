package org.vramkit.sim;

import java.nio.ByteBuffer;
import org.vramkit.api.device.PinnedMemory;
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
          long rounded = (Math.min(bytes, LARGEST) + ALIGNMENT - 1) & -ALIGNMENT;
          if (bytes > LARGEST) {
            throw device.engine.outOfMemory(function, bytes);
          }
          long address = device.engine.space.getHostArena().take(rounded, ALIGNMENT);
          ByteBuffer content = ByteBuffer.allocateDirect((int) bytes);
          device.engine.holdings.hold(LeakKind.PINNED_BUFFER, device.getOrdinal(), address, bytes);
          SimPinnedBuffer buffer = new SimPinnedBuffer(device, address, rounded, content);
          device.engine.holdings.watch(LeakKind.PINNED_BUFFER, address, buffer);
          return buffer;
        },
        SimPinnedBuffer::address);
  }
}
