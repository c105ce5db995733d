package org.vramkit.pool.support;

import java.nio.ByteBuffer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;

/**
 * A stream that equals every other one with its handle, as a driver's does: also a later one that
 * got the handle when this one was closed. Does no work.
 */
public class HandleStream implements Stream {
  private final Device device;
  private final long handle;
  private int waits;
  private boolean closed;

  public HandleStream(Device device, long handle) {
    this.device = device;
    this.handle = handle;
  }

  /** How often it was made to wait for an event. */
  public int waits() {
    return waits;
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
    waits++;
  }

  @Override
  public boolean isIdle() {
    return false;
  }

  @Override
  public void synchronize() {}

  @Override
  public void fill(long address, byte value, long bytes) {}

  @Override
  public void copy(long target, long source, long bytes) {}

  @Override
  public void copyToDevice(long target, ByteBuffer source) {}

  @Override
  public void copyToHost(ByteBuffer target, long source) {}

  @Override
  public void copyToDevice(long target, PinnedBuffer source, long offset, long bytes) {}

  @Override
  public void copyToHost(PinnedBuffer target, long offset, long source, long bytes) {}

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof HandleStream stream && stream.handle == handle;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(handle);
  }
}
