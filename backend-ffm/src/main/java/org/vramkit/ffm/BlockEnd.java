package org.vramkit.ffm;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;

/**
 * Events in all streams that used a closed block; once they are complete, no work uses the block.
 * If a new block overlaps the closed one, the parts of the closed block that stay registered share
 * this object. Guarded by the lock of {@link RegisteredBlocks}.
 */
final class BlockEnd {
  /** The block's own stream. */
  final Stream stream;

  private final List<Event> marks = new ArrayList<>();
  private int users = 1;

  private BlockEnd(Stream stream) {
    this.stream = stream;
  }

  /** Records an event in each stream; returns null if a stream is captured or closed. */
  static @Nullable BlockEnd of(Stream stream, List<Stream> others) {
    List<Stream> streams = new ArrayList<>(others);
    streams.add(stream);
    BlockEnd end = new BlockEnd(stream);
    for (Stream each : streams) {
      if (!end.mark(each)) {
        end.release();
        return null;
      }
    }
    return end;
  }

  private boolean mark(Stream stream) {
    try {
      if (stream.isClosed() || isCaptured(stream)) {
        return false;
      }
      Event mark = stream.getDevice().createEvent();
      marks.add(mark);
      mark.record(stream);
      return true;
    } catch (ClosedException closedMeanwhile) {
      return false;
    } catch (RuntimeException | Error e) {
      release();
      throw e;
    }
  }

  private static boolean isCaptured(Stream stream) {
    if (!stream.getDevice().supports(Capability.GRAPHS)) {
      return false;
    }
    Graphs graphs = stream.getDevice().getGraphs();
    return graphs.isAnyCaptured() && graphs.isCapturing(stream);
  }

  /** Adds a reference for another part, which must be {@link #release released} too. */
  BlockEnd shared() {
    users++;
    return this;
  }

  /** Returns whether all events are complete. */
  boolean isPassed() {
    return marks.stream().allMatch(BlockEnd::isPassed);
  }

  /** Returns whether an event is complete. A lost or closed device has no work left. */
  private static boolean isPassed(Event mark) {
    try {
      return mark.isComplete();
    } catch (ClosedException | FatalDeviceException gone) {
      return true;
    }
  }

  /** Drops a reference; the last one closes the events. */
  void release() {
    users--;
    if (users == 0) {
      marks.forEach(Event::close);
      marks.clear();
    }
  }
}
