package org.vramkit.bench.trace;

import java.nio.ByteBuffer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.NotSupportedException;

/** A stream that only tracks when its work will be done. */
final class ClockStream implements Stream {
  private final ClockDevice device;
  private final long handle;
  private long busyUntil;
  private boolean closed;

  ClockStream(ClockDevice device, long handle) {
    this.device = device;
    this.handle = handle;
  }

  long busyUntil() {
    return busyUntil;
  }

  /** Submits work of the given duration. */
  void work(long nanos) {
    busyUntil = Math.max(busyUntil, device.clock().now()) + nanos;
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public long getHandle() {
    return handle;
  }

  @Override
  public void waitFor(Event event) {
    busyUntil = Math.max(busyUntil, ((ClockEvent) event).time());
  }

  @Override
  public boolean isIdle() {
    return device.clock().now() >= busyUntil;
  }

  @Override
  public void synchronize() {
    device.clock().advanceTo(busyUntil);
  }

  @Override
  public void fill(long address, byte value, long bytes) {
    throw noBytes();
  }

  @Override
  public void copy(long target, long source, long bytes) {
    throw noBytes();
  }

  @Override
  public void copyToDevice(long target, ByteBuffer source) {
    throw noBytes();
  }

  @Override
  public void copyToHost(ByteBuffer target, long source) {
    throw noBytes();
  }

  @Override
  public void copyToDevice(long target, PinnedBuffer source, long offset, long bytes) {
    throw noBytes();
  }

  @Override
  public void copyToHost(PinnedBuffer target, long offset, long source, long bytes) {
    throw noBytes();
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
  }

  private static NotSupportedException noBytes() {
    return new NotSupportedException("the benchmark's clock device has no memory contents");
  }
}
