package org.vramkit.sim;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.WorkAccesses.Range;
import org.vramkit.sim.check.GraphMemory;
import org.vramkit.sim.check.PoolBlocks;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.recording.CallNote;

/** Reports allocations and frees of pools to the checker. */
final class SimMemoryObserver implements MemoryObserver {
  private final DeviceCore device;

  SimMemoryObserver(DeviceCore device) {
    this.device = device;
  }

  @Override
  public void allocated(long address, long bytes, Stream stream) {
    allocated(address, bytes, stream, "");
  }

  @Override
  public void allocated(long address, long bytes, Stream stream, String tag) {
    Objects.requireNonNull(stream, "stream");
    Objects.requireNonNull(tag, "tag");
    device.recording.perform(
        "tell-allocated",
        step -> told(step, stream).writes(address, bytes).text(tag),
        () -> {
          device.engine.requireOpen();
          if (Range.of("block of a pool", address, bytes).bytes() == 0) {
            throw new InvalidArgumentException(
                "a pool's block has at least 1 byte; got 0 bytes at 0x%x".formatted(address));
          }
          recordAllocation(address, bytes, device.ours(stream), tag);
        });
  }

  @Override
  public void used(long address, Stream stream) {
    Objects.requireNonNull(stream, "stream");
    device.recording.perform(
        "tell-used",
        step -> told(step, stream).writes(address, 0),
        () -> blocks().used(address, device.ours(stream).clock));
  }

  @Override
  public void freed(long address, Stream stream) {
    Objects.requireNonNull(stream, "stream");
    device.recording.perform(
        "tell-freed",
        step -> told(step, stream).writes(address, 0),
        () -> {
          StreamQueue ours = device.ours(stream);
          Capture capture = ours.capture;
          if (capture != null) {
            capture.freed(ours, address);
          }
          blocks().freed(address, ours.clock);
        });
  }

  @Override
  public void enterPool() {
    device.engine.checker.hosts.enterPool();
  }

  @Override
  public void leavePool() {
    device.engine.checker.hosts.leavePool();
  }

  @Override
  public void allocatedOnHost(long address, long bytes) {
    tell(
        "tell-allocated-on-host",
        address,
        bytes,
        () -> {
          device.engine.requireOpen();
          Range block = Range.of("block of a pool", address, bytes);
          boolean captured = device.captures.isCapturing(Thread.currentThread());
          blocks().allocatedOnHost(device.ordinal, block.address(), block.bytes(), captured);
          device.engine.checker.hostWrites.reused(block.address(), block.bytes());
        });
  }

  @Override
  public void freedOnHost(long address) {
    tell(
        "tell-freed-on-host",
        address,
        0,
        () -> {
          blocks().freedOnHost(address);
          HostBytes bytes = HostBytes.at(device.engine.space, address);
          if (bytes != null && device.engine.bytes) {
            bytes.closed();
          }
        });
  }

  @Override
  public List<StackTraceElement> whereAllocated(long address) {
    @Nullable Leak block = device.engine.recording.unrecorded(() -> blocks().find(address));
    return block == null ? List.of() : block.getUserFrames();
  }

  @Override
  public void segmentTaken(long address, long bytes) {
    tell(
        "tell-segment-taken",
        address,
        bytes,
        () -> {
          Range segment = Range.of("segment of a pool", address, bytes);
          blocks().segmentAdded(segment.address(), segment.bytes());
        });
  }

  @Override
  public void segmentGivenBack(long address) {
    tell("tell-segment-given-back", address, 0, () -> blocks().segmentRemoved(address));
  }

  @Override
  public void suspended(long address, long bytes) {
    tell(
        "tell-suspended",
        address,
        bytes,
        () -> {
          Range memory = Range.of("memory of a pool", address, bytes);
          blocks().suspended(memory.address(), memory.bytes());
        });
  }

  private void tell(String call, long address, long bytes, Runnable action) {
    device.recording.perform(call, step -> device.on(step).writes(address, bytes), action);
  }

  private void recordAllocation(long address, long bytes, StreamQueue stream, String tag) {
    int ordinal = device.ordinal;
    Capture capture = stream.capture;
    if (capture == null) {
      blocks().allocated(ordinal, address, bytes, stream.clock, tag);
    } else {
      GraphMemory graphs = device.engine.checker.graphs;
      capture.allocated(stream, graphs.allocated(ordinal, address, bytes, stream.clock, tag));
    }
  }

  private PoolBlocks blocks() {
    return device.engine.checker.blocks;
  }

  private CallNote told(CallNote step, Stream stream) {
    return device.note(device.on(step), stream);
  }
}
