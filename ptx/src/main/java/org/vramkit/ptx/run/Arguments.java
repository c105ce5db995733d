package org.vramkit.ptx.run;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Passes arguments to a function and results back. Those in memory are in the frames' local memory,
 * others are registers. Where a function keeps its parameters follows from their declarations, and
 * is the same for all functions of one prototype.
 *
 * @param next the step behind the call
 */
public record Arguments(List<Value> arguments, List<Value> results, int next) {
  /** A value that is passed, in the caller's frame and in the callee's. */
  public record Value(Home caller, Home callee) {}

  /**
   * The place of a value in a frame.
   *
   * @param register its register or constant; null if it is in local memory
   * @param offset its first byte in the frame's local memory
   * @param bytes its size in local memory
   */
  public record Home(@Nullable Slot register, int offset, int bytes) {
    public long get(Warp warp, Frame frame, int lane) {
      LocalMemory local = warp.local();
      return register != null
          ? register.get(frame, lane)
          : Bytes.read(local.bytes(), local.at(lane, frame.localBase + offset), bytes);
    }

    public void set(Warp warp, Frame frame, int lane, long value) {
      if (register != null) {
        register.set(frame, lane, value);
      } else {
        int at = warp.local().at(lane, frame.localBase + offset);
        Bytes.write(warp.local().bytes(), at, bytes, value);
        warp.local().write(at, bytes);
      }
    }
  }

  /** Copies arguments of these lanes from the caller's frame. */
  void enter(Warp warp, Frame caller, Frame callee, int mask) {
    for (Value each : arguments) {
      copy(warp, mask, each.caller, caller, each.callee, callee);
    }
  }

  /** Copies results of these lanes to the caller's frame. */
  void leave(Warp warp, Frame callee, Frame caller, int mask) {
    for (Value each : results) {
      copy(warp, mask, each.callee, callee, each.caller, caller);
    }
  }

  private static void copy(Warp warp, int mask, Home from, Frame source, Home to, Frame target) {
    if (from.register == null && to.register == null) {
      int begin = source.localBase + from.offset;
      warp.local().copy(mask, begin, target.localBase + to.offset, from.bytes);
      return;
    }
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      to.set(warp, target, lane, from.get(warp, source, lane));
    }
  }
}
