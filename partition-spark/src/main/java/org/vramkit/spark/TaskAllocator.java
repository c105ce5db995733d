package org.vramkit.spark;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;

/** A task's view of the executor's allocator, which tracks the task's open allocations. */
final class TaskAllocator implements Allocator {
  /** Minimum number of tracked allocations before closed ones are removed. */
  private static final int FIRST_SWEEP = 64;

  private final Allocator upstream;

  /** The task's allocations, some of which may be closed. */
  private final Set<Allocation> tracked = ConcurrentHashMap.newKeySet();

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
    tracked.add(allocation);
    if (tracked.size() >= nextSweep) {
      tracked.removeIf(Allocation::isClosed);
      nextSweep = Math.max(FIRST_SWEEP, 2 * tracked.size());
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

  @Override
  public long getLimit() {
    return upstream.getLimit();
  }

  @Override
  public long getAvailableBytes() {
    return upstream.getAvailableBytes();
  }

  @Override
  public boolean addReclaimer(Reclaimer reclaimer) {
    return upstream.addReclaimer(reclaimer);
  }

  @Override
  public void removeReclaimer(Reclaimer reclaimer) {
    upstream.removeReclaimer(reclaimer);
  }

  /** Closes the open allocations and describes them; returns an empty text if there were none. */
  String closeAll() {
    List<Allocation> left = tracked.stream().filter(each -> !each.isClosed()).toList();
    long bytes = left.stream().mapToLong(Allocation::getSize).sum();
    Batch.forEach(left, Allocation::close);
    return left.isEmpty()
        ? ""
        : Count.of(left.size(), "allocation") + " of " + ByteSize.format(bytes) + " open";
  }

  /** Closes the task's allocations; the plugin closes the executor's allocator. */
  @Override
  public void close() {
    closeAll();
  }
}
