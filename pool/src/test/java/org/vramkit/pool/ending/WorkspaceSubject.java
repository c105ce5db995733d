package org.vramkit.pool.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.workspace.WorkspacePool;

/** Workspaces over an allocator. */
record WorkspaceSubject(WorkspacePool pool, AllocatorSubject beneath) implements Subject {

  WorkspaceSubject(Allocator allocator) {
    this(
        WorkspacePool.builder(allocator).byteBudget(8 * ByteSize.GIB).build(),
        new AllocatorSubject(allocator));
  }

  @Override
  public long unit() {
    return ByteSize.GIB;
  }

  @Override
  public Held take(long bytes, Stream stream) {
    WorkspaceLease made = pool.acquire(bytes, stream);
    long size = made.getSize();
    return new Held() {
      @Override
      public long size() {
        return size;
      }

      @Override
      public void work(Stream worker) {
        if (worker.equals(stream)) {
          Work.on(worker, made.getAddress(), size);
        }
      }

      @Override
      public void close() {
        made.close();
      }
    };
  }

  @Override
  public void trim() {
    pool.trim(0);
  }

  @Override
  public void close() {
    pool.close();
  }

  @Override
  public void closeBeneath() {
    beneath.close();
  }

  @Override
  public void assertBooks(long heldBytes) {
    beneath.assertBooks(heldBytes + pool.getFreeBytes());
  }

  @Override
  public void assertEnded() {
    assertEquals(0, pool.getFreeBytes(), "kept by the pool");
    assertEquals(0, pool.getFreeSlabs(), "slabs");
    beneath.assertBooks(0);
  }

  @Override
  public void assertEmpty() {
    assertEnded();
    beneath.assertEmpty();
  }
}
