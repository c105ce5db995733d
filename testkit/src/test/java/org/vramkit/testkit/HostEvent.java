package org.vramkit.testkit;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;

/** An event of a device whose work is always done. */
final class HostEvent implements Event {
  private final Device device;
  private volatile boolean closed;

  HostEvent(Device device) {
    this.device = device;
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public void record(Stream stream) {
    checkOpen();
    if (stream.getDevice() != device) {
      throw new InvalidArgumentException("stream of another device");
    }
    ((HostStream) stream).checkOpen();
  }

  @Override
  public boolean isComplete() {
    checkOpen();
    return true;
  }

  @Override
  public void synchronize() {
    checkOpen();
  }

  @Override
  public void close() {
    closed = true;
  }

  void checkOpen() {
    if (closed) {
      throw new ClosedException("event is closed");
    }
  }
}
