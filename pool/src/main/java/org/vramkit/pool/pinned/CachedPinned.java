package org.vramkit.pool.pinned;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.Piece;
import org.vramkit.pool.support.PoolDriverCalls;
import org.vramkit.pool.support.StreamPoint;
import org.vramkit.pool.support.StreamUses;

/**
 * The page-locked memory of a buffer, live or cached. A capturing thread may allocate and free it,
 * because it is not part of the capture.
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

  /** Returns the address of the first byte, even after the backend is closed. */
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
    // Cleared first: a failure of the driver does not return the memory to the pool.
    memory = null;
    captured.relax(() -> PoolDriverCalls.make(device, last::close));
  }

  @Override
  protected boolean isGone() {
    return memory == null;
  }
}
