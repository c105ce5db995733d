package org.vramkit.pool.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;

/** Typed buffers over an allocator. */
record BufferSubject(BufferPool pool, AllocatorSubject beneath) implements Subject {

  BufferSubject(Allocator allocator) {
    this(BufferPool.create(allocator), new AllocatorSubject(allocator));
  }

  @Override
  public long unit() {
    return ByteSize.GIB;
  }

  @Override
  public Held take(long bytes, Stream stream) {
    TypedBuffer made = pool.acquire(ElementType.INT8, bytes, stream);
    return new HeldMemory(made::getAddress, bytes, made::recordUse, made::close);
  }

  @Override
  public void trim() {
    pool.emptyCache();
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
    beneath.assertBooks(heldBytes + pool.getCachedBytes(0));
  }

  @Override
  public void assertEnded() {
    assertEquals(0, pool.getCachedBytes(0), "kept by the pool");
    beneath.assertBooks(0);
  }

  @Override
  public void assertEmpty() {
    assertEnded();
    beneath.assertEmpty();
  }
}
