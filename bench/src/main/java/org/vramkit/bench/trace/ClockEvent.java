package org.vramkit.bench.trace;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;

/** An event that completes when its stream's recorded work is done. */
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
