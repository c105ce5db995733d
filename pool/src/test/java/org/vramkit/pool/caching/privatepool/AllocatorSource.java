package org.vramkit.pool.caching.privatepool;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.SegmentSource;

/** A user's source of segments: another allocator's memory, which any stream may use at once. */
final class AllocatorSource implements SegmentSource {
  private final Allocator upstream;
  private final Stream stream;
  private final Map<Long, Allocation> taken = new HashMap<>();

  AllocatorSource(Allocator upstream, Stream stream) {
    this.upstream = upstream;
    this.stream = stream;
  }

  @Override
  public long allocate(long bytes) {
    Allocation segment = upstream.allocate(bytes, stream);
    stream.synchronize();
    taken.put(segment.getAddress(), segment);
    return segment.getAddress();
  }

  @Override
  public void free(long address, long bytes) {
    Objects.requireNonNull(taken.remove(address)).close();
  }
}
