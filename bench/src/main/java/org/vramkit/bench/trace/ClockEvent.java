package org.vramkit.bench.trace;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;

/** The time at which a stream will have done what it had been given. */
final class ClockEvent implements Event {
  private final ClockDevice device;
  private long time;

  ClockEvent(ClockDevice device) {
    this.device = device;
  }

  long time() {
    return time;
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public void record(Stream stream) {
    time = ((ClockStream) stream).busyUntil();
  }

  @Override
  public boolean isComplete() {
    return device.clock().now() >= time;
  }

  @Override
  public void synchronize() {
    device.clock().advanceTo(time);
  }

  @Override
  public void close() {}
}
