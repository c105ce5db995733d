package org.vramkit.pool.pinned;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.OwnCalls;
import org.vramkit.pool.support.Piece;
import org.vramkit.pool.support.StreamPoint;
import org.vramkit.pool.support.StreamUses;

/**
 * One piece of page-locked memory. A thread that captures may take it and give it back: no capture
 * has to do with it.
 */
final class CachedPinned extends Piece<Long> {
  private final Device device;
  private final CapturedStreams captured;
  private @Nullable PinnedBuffer memory;
  private long address;

  CachedPinned(long size, Device device, CapturedStreams captured) {
    super(size, size, new StreamUses(captured));
    this.device = device;
    this.captured = captured;
  }

  /** Its first byte, also once its backend is closed. */
  long address() {
    return address;
  }

  PinnedBuffer memory() {
    return requireNonNull(memory, "memory");
  }

  @Override
  protected void fill() {
    captured.relax(() -> memory = device.getPinnedMemory().allocate(size()));
    address = memory().getAddress();
  }

  @Override
  protected void giveBack(List<StreamPoint> none) {
    PinnedBuffer last = memory();
    // In any case: what the driver says to it does not make the memory ours again.
    memory = null;
    captured.relax(() -> OwnCalls.make(device, last::close));
  }

  @Override
  protected boolean isGone() {
    return memory == null;
  }
}
