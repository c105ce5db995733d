package org.vramkit.testkit;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.NotSupportedException;

/** A stream that does its work at once. */
final class HostStream implements Stream {
  private final Device device;
  private final HostMemory memory;
  private final long handle;
  private volatile boolean closed;

  HostStream(Device device, HostMemory memory, long handle) {
    this.device = device;
    this.memory = memory;
    this.handle = handle;
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
    checkOpen();
    ((HostEvent) event).checkOpen();
  }

  @Override
  public boolean isIdle() {
    checkOpen();
    return true;
  }

  @Override
  public void synchronize() {
    checkOpen();
  }

  @Override
  public void fill(long address, byte value, long bytes) {
    checkOpen();
    byte[] values = new byte[(int) Math.max(0, bytes)];
    Arrays.fill(values, value);
    memory.at(address, bytes).put(values);
  }

  @Override
  public void copy(long target, long source, long bytes) {
    checkOpen();
    memory.at(target, bytes).put(memory.at(source, bytes));
  }

  @Override
  public void copyToDevice(long target, ByteBuffer source) {
    checkOpen();
    memory.at(target, source.remaining()).put(source.duplicate());
  }

  @Override
  public void copyToHost(ByteBuffer target, long source) {
    checkOpen();
    target.duplicate().put(memory.at(source, target.remaining()));
  }

  @Override
  public void copyToDevice(long target, PinnedBuffer source, long offset, long bytes) {
    throw new NotSupportedException("host memory lacks pinned buffers");
  }

  @Override
  public void copyToHost(PinnedBuffer target, long offset, long source, long bytes) {
    throw new NotSupportedException("host memory lacks pinned buffers");
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
  }

  void checkOpen() {
    if (closed) {
      throw new ClosedException("stream " + handle + " is closed");
    }
  }
}
