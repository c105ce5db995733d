package org.vramkit.pool.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;

/** An allocator, perhaps a decorator over another one. */
record AllocatorSubject(Allocator allocator, Allocator beneath) implements Subject {

  AllocatorSubject(Allocator allocator) {
    this(allocator, allocator);
  }

  @Override
  public long unit() {
    return ByteSize.GIB;
  }

  @Override
  public Held take(long bytes, Stream stream) {
    Allocation made = allocator.allocate(bytes, stream);
    return new HeldMemory(made::getAddress, bytes, made::recordUse, made::close);
  }

  @Override
  public void trim() {
    allocator.trim(0);
  }

  @Override
  public void close() {
    allocator.close();
  }

  @Override
  public void closeBeneath() {
    beneath.close();
  }

  @Override
  public void assertBooks(long heldBytes) {
    AllocatorStatistics now = beneath.getStatistics();
    assertEquals(heldBytes, now.allocated().current(), "live bytes");
    assertEquals(now.reserved().current(), heldBytes + now.cachedBytes(), "live and cached");
    assertEquals(
        now.cachedBytes(),
        now.streams().stream().mapToLong(StreamStatistics::cachedBytes).sum(),
        "cached by stream");
    assertEquals(
        now.allocations().current(),
        now.allocations().added() - now.allocations().removed(),
        "allocations");
  }

  @Override
  public void assertEnded() {
    if (allocator == beneath) {
      assertEmpty();
    }
  }

  @Override
  public void assertEmpty() {
    assertBooks(0);
    assertEquals(0, beneath.getStatistics().reserved().current(), "reserved");
    assertEquals(0, beneath.getStatistics().allocations().current(), "allocations");
  }
}
