package org.vramkit.pool.caching;

import java.lang.ref.WeakReference;
import java.nio.file.Path;

/** The bean of an allocator, which does not keep the allocator alive. */
final class AllocatorManagement implements CachingAllocatorMXBean {
  private final int device;
  private final WeakReference<Managed> allocator;

  /** Offers what the bean does in its own process. */
  interface Managed {
    String getSummary();

    boolean isHistoryKept();

    void startHistory(long bytes, boolean stacks);

    void stopHistory();

    void writeSnapshot(Path file);
  }

  AllocatorManagement(int device, Managed allocator) {
    this.device = device;
    this.allocator = new WeakReference<>(allocator);
  }

  private Managed allocator() {
    Managed found = allocator.get();
    if (found == null) {
      throw new IllegalStateException(
          "the allocator was dropped without a close and is gone; look for another bean");
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
  public boolean isHistoryKept() {
    return allocator().isHistoryKept();
  }

  @Override
  public void startHistory(long bytes, boolean stacks) {
    told(() -> allocator().startHistory(bytes, stacks));
  }

  @Override
  public void stopHistory() {
    allocator().stopHistory();
  }

  @Override
  public void dump(String file) {
    told(() -> allocator().writeSnapshot(Path.of(file)));
  }

  /** Throws what also a client knows that has no class of this project. */
  private static void told(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      throw new IllegalStateException(e.getMessage());
    }
  }
}
