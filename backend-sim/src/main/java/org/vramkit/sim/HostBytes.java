package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.report.AccessedRange;
import org.vramkit.ptx.report.Footprint;
import org.vramkit.sim.check.HostWrites;
import org.vramkit.sim.check.HostWrites.HostChange;
import org.vramkit.sim.check.Operation;
import org.vramkit.sim.check.PinnedRange;
import org.vramkit.sim.memory.AddressSpace;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.ByteStore;
import org.vramkit.sim.memory.PhysicalMemory;

/**
 * The bytes of a page-locked or managed buffer. The host has views of them; work on devices
 * accesses them by address. Writes by work are noted, so that they are not attributed to the host.
 * Guarded by the backend's lock.
 */
final class HostBytes implements ByteStore {
  private static final int MOST_AT_ONCE = 1 << 13;

  private final int device;
  private final long address;
  private final HostMemory content;
  private final HostWrites hostWrites;
  private final HostChange change;
  private final Unwritten unwritten;

  /**
   * Creates the bytes of a buffer. New bytes are unwritten; {@code change} receives changes by the
   * host.
   */
  HostBytes(
      int device,
      long address,
      HostMemory content,
      boolean isNew,
      HostWrites hostWrites,
      HostChange change) {
    this.device = device;
    this.address = address;
    this.content = content;
    this.hostWrites = hostWrites;
    this.unwritten =
        isNew
            ? Unwritten.all(
                content.view(0, (int) content.size),
                (offset, bytes) -> change.noticed(address + offset, bytes))
            : Unwritten.none();
    this.change =
        (start, bytes) -> {
          unwritten.remove(start - address, start - address + bytes);
          change.noticed(start, bytes);
        };
  }

  /** Returns the buffer at an address; null for none. */
  static @Nullable HostBytes at(AddressSpace space, long address) {
    Region region = space.containing(address);
    PhysicalMemory memory = region == null ? null : region.physical();
    return memory != null && memory.content instanceof HostBytes bytes ? bytes : null;
  }

  /** Notes that the code of a kernel has accessed memory, which may lie in host buffers. */
  static void update(AddressSpace space, Operation by, Footprint touched) {
    touched.reads().forEach(each -> noteRead(space, by, each));
    touched.writes().forEach(each -> noteWrite(space, each));
    touched.atomics().forEach(each -> noteWrite(space, each));
  }

  private static void noteRead(AddressSpace space, Operation by, AccessedRange range) {
    HostBytes buffer = at(space, range.address());
    if (buffer != null) {
      buffer.submittedAt(by, range.address(), range.bytes());
    }
  }

  private static void noteWrite(AddressSpace space, AccessedRange range) {
    HostBytes buffer = at(space, range.address());
    if (buffer != null) {
      buffer.willBeWrittenAt(range.address(), range.bytes());
    }
  }

  long size() {
    return content.size;
  }

  /** Returns a view of a part; all views share their bytes. */
  ByteBuffer view(long offset, long bytes) {
    return content.view(offset, (int) bytes);
  }

  /** Watches the views of closed memory. */
  void closed() {
    hostWrites.closed(range(0, size()), () -> view(0, size()));
  }

  /** Releases what is not left to the garbage collector. */
  void release() {
    content.close();
  }

  /** Returns the addresses of a part, for the checker. */
  PinnedRange range(long offset, long bytes) {
    return new PinnedRange(device, address, size(), address + offset, address + offset + bytes);
  }

  /** Notes that a part is written, now or later, other than through views. */
  void willBeWritten(long offset, long bytes) {
    unwritten.remove(offset, offset + bytes);
  }

  /** Like {@link #willBeWritten}, for a range that may extend beyond the buffer. */
  void willBeWrittenAt(long start, long bytes) {
    willBeWritten(start - address, Math.min(bytes, size() - (start - address)));
  }

  /** Returns the unwritten parts of a range. */
  List<PinnedRange> unwritten(long offset, long bytes) {
    if (unwritten.isEmpty()) {
      return List.of();
    }
    hostWrites.compare(range(offset, bytes));
    return unwritten.in((int) offset, (int) (offset + bytes)).stream()
        .map(part -> range(part.start(), part.end() - part.start()))
        .toList();
  }

  /** Watches a part that submitted work reads. */
  void submitted(Operation reader, long offset, long bytes) {
    hostWrites.submitted(reader, range(offset, bytes), () -> view(offset, bytes), change);
  }

  /** Like {@link #submitted}, for a range that may extend beyond the buffer. */
  void submittedAt(Operation reader, long start, long bytes) {
    long offset = start - address;
    long inside = Math.min(bytes, size() - offset);
    if (inside > 0) {
      submitted(reader, offset, inside);
    }
  }

  @Override
  public void read(long offset, byte[] target, int at, int count) {
    view(offset, count).get(target, at, count);
  }

  @Override
  public void write(long offset, byte[] source, int from, int count) {
    hostWrites.written(range(offset, count), () -> view(offset, count).put(source, from, count));
  }

  @Override
  public void fill(long offset, byte value, long count) {
    hostWrites.written(
        range(offset, count),
        () -> {
          byte[] part = new byte[(int) Math.min(count, MOST_AT_ONCE)];
          Arrays.fill(part, value);
          for (long done = 0; done < count; done += part.length) {
            int bytes = (int) Math.min(part.length, count - done);
            view(offset + done, bytes).put(part, 0, bytes);
          }
        });
  }
}
