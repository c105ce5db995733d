package org.vramkit.ptx.step;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.run.CallSite;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Warp;

/**
 * Passes arguments to a function and results back. Those in memory are in the frames' local memory,
 * others are registers. Where a function keeps its parameters follows from their declarations, and
 * is the same for all functions of one prototype.
 */
public final class Arguments implements CallSite {
  private final List<Value> arguments;
  private final List<Value> results;
  int next;

  /**
   * A value that is passed.
   *
   * @param callerOffset its place in the caller's local memory; unused if in a register
   * @param calleeOffset its place in the callee's local memory; unused if in a register
   * @param bytes its size; 0 if in registers
   * @param caller the caller's register or constant, null if in memory
   * @param callee the callee's register, null if in memory
   */
  public record Value(
      int callerOffset,
      int calleeOffset,
      int bytes,
      @Nullable Slot caller,
      @Nullable Slot callee) {}

  public Arguments(List<Value> arguments, List<Value> results) {
    this.arguments = List.copyOf(arguments);
    this.results = List.copyOf(results);
  }

  @Override
  public void enter(Warp warp, Frame caller, Frame callee, int mask) {
    for (Value each : arguments) {
      copy(warp, each, caller, callee, mask, true);
    }
  }

  @Override
  public void leave(Warp warp, Frame callee, Frame caller, int mask) {
    for (Value each : results) {
      copy(warp, each, caller, callee, mask, false);
    }
  }

  private static void copy(
      Warp warp, Value value, Frame caller, Frame callee, int mask, boolean enter) {
    Slot outer = value.caller;
    Slot inner = value.callee;
    if (outer == null && inner == null) {
      int out = caller.localBase + value.callerOffset;
      int in = callee.localBase + value.calleeOffset;
      warp.local().copy(mask, enter ? out : in, enter ? in : out, value.bytes);
      return;
    }
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      if (enter) {
        put(
            warp,
            callee,
            inner,
            value.calleeOffset,
            value.bytes,
            lane,
            take(warp, caller, outer, value.callerOffset, value.bytes, lane));
      } else {
        put(
            warp,
            caller,
            outer,
            value.callerOffset,
            value.bytes,
            lane,
            take(warp, callee, inner, value.calleeOffset, value.bytes, lane));
      }
    }
  }

  static long take(Warp warp, Frame frame, @Nullable Slot slot, int offset, int bytes, int lane) {
    return slot != null
        ? slot.get(frame, lane)
        : Access.read(warp.local().bytes(), warp.local().at(lane, frame.localBase + offset), bytes);
  }

  static void put(
      Warp warp, Frame frame, @Nullable Slot slot, int offset, int bytes, int lane, long value) {
    if (slot != null) {
      slot.set(frame, lane, value);
    } else {
      int at = warp.local().at(lane, frame.localBase + offset);
      Access.write(warp.local().bytes(), at, bytes, value);
      warp.local().write(at, bytes);
    }
  }

  @Override
  public int getReturn() {
    return next;
  }
}
