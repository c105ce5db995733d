package org.vramkit.ptx.step;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.RaceChecker.Strength;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;
import org.vramkit.ptx.syntax.Space;

/**
 * Copies between global and shared memory, and fills with zeros what is not to be read. The bytes
 * are there at once, but the checker lets nothing follow a copy to shared memory before its lane
 * has waited for it.
 */
public final class Copy extends Step {
  private final Piece source;
  private final Piece target;
  private final int size;
  private final boolean toShared;
  private final @Nullable Slot read;
  private final @Nullable Slot all;

  private static final class Piece extends Access {
    Piece(String verb, Where where, int size) {
      super(verb, where, new Shape(size, 1, Strength.WEAK));
    }

    /** Finds the position of a lane; returns false if the access is wrong. */
    boolean find(Warp warp, Frame frame, int lane) {
      return locate(warp, frame, lane) && reach(1 << lane) != 0;
    }

    @Override
    void access(Warp warp, Frame frame, int lanes) {
      throw new AssertionError("a part of a copy");
    }
  }

  /**
   * Creates a copy.
   *
   * @param size bytes that are copied at once
   * @param read the number of bytes to read, null for all
   * @param all the number of bytes to copy, a multiple of the size; null for the size
   */
  public Copy(Where target, Where source, int size, @Nullable Slot read, @Nullable Slot all) {
    this.source = new Piece("reads", source, size);
    this.target = new Piece("writes", target, size);
    this.size = size;
    this.toShared = target.space() == Space.SHARED;
    this.read = read;
    this.all = all;
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    prepare(source, frame);
    prepare(target, frame);
    if (warp.order == null || !toShared) {
      copyAll(warp, frame, mask);
    } else {
      warp.order.copy(mask, all != null, () -> copyAll(warp, frame, mask));
    }
  }

  private void copyAll(Warp warp, Frame frame, int mask) {
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      long from = source.getAddress(lane);
      long to = target.getAddress(lane);
      long end = all == null ? size : all.get(frame, lane);
      int count = read == null ? size : (int) Math.min(size, read.get(frame, lane));
      boolean found = true;
      for (long done = 0; found && done < end; done += size) {
        source.setAddress(lane, from + done);
        target.setAddress(lane, to + done);
        found = copy(warp, frame, lane, count);
      }
    }
  }

  /** Copies at once; returns false at the end of the memory, where a GPU stops the kernel. */
  private boolean copy(Warp warp, Frame frame, int lane, int count) {
    var checker = Access.checker(warp);
    byte[] bytes = new byte[size];
    source.span = count;
    boolean isThere = count <= 0 || source.find(warp, frame, lane);
    if (count > 0 && isThere) {
      System.arraycopy(source.bytes, source.position(lane), bytes, 0, count);
      if (checker != null) {
        source.checkRead(warp, checker, lane);
      }
    }
    if (!target.find(warp, frame, lane)) {
      return false;
    }
    int position = target.position(lane);
    boolean same = Arrays.equals(bytes, 0, size, target.bytes, position, position + size);
    System.arraycopy(bytes, 0, target.bytes, position, size);
    if (checker != null) {
      target.checkWrite(warp, checker, lane, same, false);
    }
    return isThere;
  }

  private void prepare(Piece piece, Frame frame) {
    piece.place = place;
    piece.id = id;
    piece.addresses(frame);
  }
}
