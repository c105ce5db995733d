package org.vramkit.pool.caching;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.option.SizeRules;

/** A view of an allocator whose allocations carry a tag. Its close does nothing. */
final class TaggedAllocator implements Allocator {
  private final CachingAllocator target;
  private final String tag;

  TaggedAllocator(CachingAllocator target, String tag) {
    this.target = target;
    this.tag = tag;
  }

  @Override
  public Device getDevice() {
    return target.getDevice();
  }

  @Override
  public Allocation allocate(long bytes, Stream stream) {
    return target.allocate(bytes, stream, tag);
  }

  @Override
  public Allocation allocateAligned(long bytes, long alignment, Stream stream) {
    SizeRules.requireAlignment(alignment);
    return target.allocate(bytes, alignment, stream, tag);
  }

  @Override
  public void trim(long keepBytes) {
    target.trim(keepBytes);
  }

  @Override
  public AllocatorStatistics getStatistics() {
    return target.getStatistics();
  }

  @Override
  public void resetPeaks() {
    target.resetPeaks();
  }

  @Override
  public long getLimit() {
    return target.getLimit();
  }

  @Override
  public long getAvailableBytes() {
    return target.getAvailableBytes();
  }

  @Override
  public boolean addReclaimer(Reclaimer reclaimer) {
    return target.addReclaimer(reclaimer);
  }

  @Override
  public void removeReclaimer(Reclaimer reclaimer) {
    target.removeReclaimer(reclaimer);
  }

  @Override
  public void close() {}

  @Override
  public String toString() {
    return target.describe() + ", tagged \"" + tag + "\"";
  }
}
