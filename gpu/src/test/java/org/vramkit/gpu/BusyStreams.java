package org.vramkit.gpu;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;

/** Returns streams in turn and keeps each busy, so that reuse of memory overlaps with work. */
final class BusyStreams implements AutoCloseable {
  private static final long LOAD = 64 * ByteSize.MIB;

  private final Device device;
  private final List<Stream> streams = new ArrayList<>();
  private final List<Long> loads = new ArrayList<>();
  private int turn;

  BusyStreams(Device device, int count) {
    this.device = device;
    for (int i = 0; i < count; i++) {
      loads.add(device.getMemory().allocate(LOAD));
      streams.add(device.createStream());
    }
  }

  /** Returns the next stream, after queuing work on it. */
  Stream next() {
    turn = (turn + 1) % streams.size();
    streams.get(turn).fill(loads.get(turn), (byte) turn, LOAD);
    return streams.get(turn);
  }

  @Override
  public void close() {
    device.synchronize();
    streams.forEach(Stream::close);
    loads.forEach(device.getMemory()::free);
  }
}
