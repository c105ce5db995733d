package org.vramkit.sim.memory;

import java.util.List;

/** A range of bytes that lies in several stores, one part behind the other. Not thread-safe. */
public final class SlicedBytes implements ByteStore {
  /** Bytes of a store, from an offset on. */
  public record Part(ByteStore store, long offset, long bytes) {}

  private interface Access {
    void at(ByteStore store, long offset, long done, long count);
  }

  private final List<Part> parts;

  /** Creates a range of at least one part. */
  public SlicedBytes(List<Part> parts) {
    this.parts = List.copyOf(parts);
  }

  private void each(long offset, long count, Access access) {
    long begin = 0;
    for (Part part : parts) {
      long from = Math.max(offset, begin);
      long to = Math.min(offset + count, begin + part.bytes);
      if (from < to) {
        access.at(part.store, part.offset + from - begin, from - offset, to - from);
      }
      begin += part.bytes;
    }
  }

  @Override
  public void read(long offset, byte[] target, int at, int count) {
    each(
        offset,
        count,
        (store, from, done, bytes) -> store.read(from, target, at + (int) done, (int) bytes));
  }

  @Override
  public void write(long offset, byte[] source, int from, int count) {
    each(
        offset,
        count,
        (store, to, done, bytes) -> store.write(to, source, from + (int) done, (int) bytes));
  }

  @Override
  public void fill(long offset, byte value, long count) {
    each(offset, count, (store, from, done, bytes) -> store.fill(from, value, bytes));
  }
}
