package org.vramkit.sim.replay;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimGate;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.program.ByteRange;
import org.vramkit.sim.program.OperandKind;
import org.vramkit.sim.program.Step;
import org.vramkit.sim.program.StepShape;

/** The simulator that a program runs on, and what its steps have made there so far. */
final class Stage {
  private final SimBackend backend;
  private final Map<Integer, Object> made = new HashMap<>();

  Stage(SimBackend backend) {
    this.backend = backend;
  }

  SimBackend backend() {
    return backend;
  }

  SimDevice device(Step step) {
    return backend.getDevice(step.device());
  }

  /** Whether a step tells all that its call is given, and everything it refers to was made. */
  boolean has(Step step) {
    return StepShape.isWhole(step) && step.needs().allMatch(made::containsKey);
  }

  /** Keeps what a step made; memory by its address, physical memory by its handle. */
  void keep(Step step, Object what) {
    if (step.makes() != 0) {
      made.put(step.makes(), what);
    }
  }

  SimStream stream(Step step) {
    return operand(step, OperandKind.STREAM, SimStream.class);
  }

  SimEvent event(Step step) {
    return operand(step, OperandKind.EVENT, SimEvent.class);
  }

  /** A pool of the driver, the default one or another. */
  StreamOrderedMemory memoryOf(Step step) {
    return operand(step, OperandKind.POOL, StreamOrderedMemory.class);
  }

  /** A pool of the driver that the program made. */
  DriverPool pool(Step step) {
    return operand(step, OperandKind.POOL, DriverPool.class);
  }

  SimGate gate(Step step) {
    return operand(step, OperandKind.GATE, SimGate.class);
  }

  DeviceBinding binding(Step step) {
    return operand(step, OperandKind.BINDING, DeviceBinding.class);
  }

  PinnedBuffer pinned(Step step) {
    return operand(step, OperandKind.PINNED, PinnedBuffer.class);
  }

  PinnedBuffer pinned(ByteRange range) {
    return find(range.operand(), PinnedBuffer.class);
  }

  long physical(Step step) {
    return operand(step, OperandKind.PHYSICAL, Long.class);
  }

  /** Where the memory starts that a step hands out or takes away. */
  long start(Step step) {
    return address(step.writes().get(0));
  }

  /** The other device that a step concerns. */
  SimDevice other(Step step) {
    return backend.getDevice(Math.toIntExact(step.value()));
  }

  /** Where a range starts now. */
  long address(ByteRange range) {
    return range.operand() == ByteRange.NOWHERE
        ? range.offset()
        : base(range.operand()) + range.offset();
  }

  private long base(int operand) {
    Object what = made.get(operand);
    return what instanceof PinnedBuffer buffer ? buffer.getAddress() : find(operand, Long.class);
  }

  private <T> T operand(Step step, OperandKind kind, Class<T> type) {
    int role = step.kind().getRoles().indexOf(kind);
    return find(step.uses().get(role), type);
  }

  private <T> T find(int number, Class<T> type) {
    return type.cast(
        Objects.requireNonNull(made.get(number), "an operand of a step that was to be skipped"));
  }
}
