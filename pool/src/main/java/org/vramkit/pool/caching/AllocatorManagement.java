package org.vramkit.pool.caching;

import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.vramkit.api.allocator.AllocatorStatistics;

/** The MXBean of an allocator, which refers to it weakly. */
final class AllocatorManagement implements CachingAllocatorMXBean {
  private final int device;
  private final WeakReference<CachingAllocator> allocator;

  AllocatorManagement(int device, CachingAllocator allocator) {
    this.device = device;
    this.allocator = new WeakReference<>(allocator);
  }

  private CachingAllocator allocator() {
    CachingAllocator found = allocator.get();
    if (found == null) {
      throw new IllegalStateException(
          "the allocator was garbage collected without a close; use the bean of another allocator");
    }
    return found;
  }

  @Override
  public int getDevice() {
    return device;
  }

  @Override
  public String getSummary() {
    return allocator().getSummary();
  }

  @Override
  public Map<String, Long> getFigures() {
    AllocatorStatistics now = allocator().getStatistics();
    Map<String, Long> figures = new TreeMap<>();
    AllocatorStatistics.getMetrics()
        .forEach(each -> figures.put(each.key(), each.value().applyAsLong(now)));
    return figures;
  }

  @Override
  public boolean isHistoryKept() {
    return allocator().isHistoryKept();
  }

  @Override
  public void startHistory(long bytes, boolean stacks) {
    readable(() -> allocator().startHistory(bytes, stacks));
  }

  @Override
  public void stopHistory() {
    allocator().stopHistory();
  }

  @Override
  public void dump(String file) {
    readable(() -> allocator().writeSnapshot(Path.of(file)));
  }

  /** Throws exceptions that a client without classes of this project can read. */
  private static void readable(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      throw new IllegalStateException(e.getMessage());
    }
  }
}
