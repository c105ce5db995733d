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
  /** How many are handed out before closed ones are looked for. */
  private static final int FIRST_SWEEP = 64;

  private final Allocator upstream;

  /** Allocations that were handed out, some of which are closed. */
  private final Set<Allocation> given = ConcurrentHashMap.newKeySet();

  private volatile int nextSweep = FIRST_SWEEP;

  TaskAllocator(Allocator upstream) {
    this.upstream = upstream;
  }

  @Override
  public Device getDevice() {
    return upstream.getDevice();
  }

  @Override
  public Allocation allocate(long bytes, Stream stream) {
    Allocation allocation = upstream.allocate(bytes, stream);
    given.add(allocation);
    if (given.size() >= nextSweep) {
      given.removeIf(Allocation::isClosed);
      nextSweep = Math.max(FIRST_SWEEP, 2 * given.size());
    }
    return allocation;
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
    List<Allocation> left = given.stream().filter(each -> !each.isClosed()).toList();
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
