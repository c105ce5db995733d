package org.vramkit.spark;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;

/** A task's view of the executor's allocator, which knows what the task has not closed. */
final class TaskAllocator implements Allocator {
  private final Allocator upstream;
  private final Set<Allocation> live = ConcurrentHashMap.newKeySet();

  TaskAllocator(Allocator upstream) {
    this.upstream = upstream;
  }

  /** An allocation that is forgotten when it is closed. */
  private final class Tracked implements Allocation {
    private final Allocation held;

    Tracked(Allocation held) {
      this.held = held;
    }

    @Override
    public long getAddress() {
      return held.getAddress();
    }

    @Override
    public long getSize() {
      return held.getSize();
    }

    @Override
    public Stream getStream() {
      return held.getStream();
    }

    @Override
    public boolean isClosed() {
      return held.isClosed();
    }

    @Override
    public void recordUse(Stream stream) {
      held.recordUse(stream);
    }

    @Override
    public void close() {
      live.remove(this);
      held.close();
    }
  }

  @Override
  public Device getDevice() {
    return upstream.getDevice();
  }

  @Override
  public Allocation allocate(long bytes, Stream stream) {
    Tracked tracked = new Tracked(upstream.allocate(bytes, stream));
    live.add(tracked);
    return tracked;
  }

  @Override
  public void trim(long keepBytes) {
    upstream.trim(keepBytes);
  }

  @Override
  public AllocatorStatistics getStatistics() {
    return upstream.getStatistics();
  }

  @Override
  public void resetPeaks() {
    upstream.resetPeaks();
  }

  /** Closes what is live; says what it was, nothing if there was none. */
  String giveBack() {
    List<Allocation> left = List.copyOf(live);
    long bytes = left.stream().mapToLong(Allocation::getSize).sum();
    Batch.forEach(left, Allocation::close);
    return left.isEmpty()
        ? ""
        : Count.of(left.size(), "allocation") + " of " + ByteSize.format(bytes) + " open";
  }

  /** The executor's is closed by its plugin; this gives back what the task holds. */
  @Override
  public void close() {
    giveBack();
  }
}
