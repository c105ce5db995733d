package org.vramkit.examples.transformer;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;

/** Memory that is closed together, unless it was closed before. */
final class Scope implements AutoCloseable {
  private final Allocator allocator;
  private final Stream stream;
  private final List<Allocation> memory = new ArrayList<>();

  Scope(Allocator allocator, Stream stream) {
    this.allocator = allocator;
    this.stream = stream;
  }

  /** Allocates floats. */
  Allocation floats(long count) {
    return own(allocator.allocate(count, ElementType.FLOAT32, stream));
  }

  /** Takes memory over. */
  Allocation own(Allocation allocation) {
    memory.add(allocation);
    return allocation;
  }

  @Override
  public void close() {
    Batch.forEach(memory, Allocation::close);
    memory.clear();
  }
}
