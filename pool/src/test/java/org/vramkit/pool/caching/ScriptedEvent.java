package org.vramkit.pool.caching;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;

/** Marks how far a scripted stream was filled. */
final class ScriptedEvent implements Event {
  private final ScriptedDevice device;
  private volatile ScriptedStream stream;
  private volatile long mark;

  ScriptedEvent(ScriptedDevice device) {
    this.device = device;
    this.stream = new ScriptedStream(device, 0);
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public void record(Stream marked) {
    stream = (ScriptedStream) marked;
    mark = stream.submitted();
  }

  @Override
  public boolean isComplete() {
    return stream.isDone(mark);
  }

  @Override
  public void synchronize() {
    stream.finish();
  }

  @Override
  public void close() {
    device.eventClosed();
  }
}
