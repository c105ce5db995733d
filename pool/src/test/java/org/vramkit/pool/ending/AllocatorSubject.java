package org.vramkit.pool.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;

/** Decorators over each other, the outermost first, with the allocator beneath them all at last. */
record AllocatorSubject(List<Allocator> layers) implements Subject {

  AllocatorSubject(Allocator... layers) {
    this(List.of(layers));
  }

  private Allocator allocator() {
    return layers.get(0);
  }

  private Allocator beneath() {
    return layers.get(layers.size() - 1);
  }

  @Override
  public long unit() {
    return ByteSize.GIB;
  }

  @Override
  public Held take(long bytes, Stream stream) {
    Allocation made = allocator().allocate(bytes, stream);
    return new HeldMemory(made::getAddress, bytes, made::recordUse, made::close);
  }

  @Override
  public void trim() {
    allocator().trim(0);
  }

  @Override
  public void close() {
    allocator().close();
  }

  @Override
  public void closeBeneath() {
    layers.subList(1, layers.size()).forEach(Allocator::close);
  }

  @Override
  public void assertBooks(long heldBytes) {
    AllocatorStatistics now = beneath().getStatistics();
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
    if (layers.size() == 1) {
      assertEmpty();
    }
  }

  @Override
  public void assertEmpty() {
    assertBooks(0);
    assertEquals(0, beneath().getStatistics().reserved().current(), "reserved");
    assertEquals(0, beneath().getStatistics().allocations().current(), "allocations");
  }
}
