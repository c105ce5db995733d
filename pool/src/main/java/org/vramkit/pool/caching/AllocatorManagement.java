package org.vramkit.pool.caching;

import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.vramkit.api.allocator.AllocatorStatistics;

/** The MXBean of an allocator, which refers to it weakly. */
final class AllocatorManagement implements CachingAllocatorMXBean {
  /** The system property with which a JVM lets others change its allocators. */
  private static final String CONTROL = "vramkit.remote-control";

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

  @Override
  public long getLimit() {
    return allocator().getLimit();
  }

  @Override
  public void setLimit(long bytes) {
    change("its limit", () -> allocator().setLimit(bytes));
  }

  @Override
  public void trim(long keepBytes) {
    change("its memory", () -> allocator().trim(keepBytes));
  }

  private static void change(String what, Runnable action) {
    if (!Boolean.getBoolean(CONTROL)) {
      throw new IllegalStateException(
          "the JVM does not let others change " + what + "; start it with -D" + CONTROL + "=true");
    }
    readable(action);
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
