package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.Operation;
import org.vramkit.sim.check.PinnedAccesses;
import org.vramkit.sim.check.PinnedAccesses.HostChange;
import org.vramkit.sim.check.PinnedRange;
import org.vramkit.sim.memory.AddressSpace;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.ByteStore;
import org.vramkit.sim.memory.PhysicalMemory;

/**
 * The bytes of a page-locked or managed buffer: the host has views of them, work on devices reaches
 * them by their addresses. What work writes is told, so that it is not taken for the host's doing.
 * Guarded by the backend's lock.
 */
final class HostBytes implements ByteStore {
  private final int device;
  private final long address;
  final ByteBuffer content;
  private final PinnedAccesses pinned;
  private final HostChange change;
  private final Unwritten unwritten;

  /** New bytes hold nothing; a change is passed on when it is noticed. */
  HostBytes(
      int device,
      long address,
      ByteBuffer content,
      boolean isNew,
      PinnedAccesses pinned,
      HostChange change) {
    this.device = device;
    this.address = address;
    this.content = content;
    this.pinned = pinned;
    this.unwritten =
        isNew
            ? Unwritten.all(content, (offset, bytes) -> change.noticed(address + offset, bytes))
            : Unwritten.none(content);
    this.change =
        (start, bytes) -> {
          unwritten.remove(start - address, start - address + bytes);
          change.noticed(start, bytes);
        };
  }

  /** The buffer that an address lies in; null for none. */
  static @Nullable HostBytes at(AddressSpace space, long address) {
    Region region = space.containing(address);
    PhysicalMemory memory = region == null ? null : region.physical();
    return memory != null && memory.content instanceof HostBytes bytes ? bytes : null;
  }

  long size() {
    return content.capacity();
  }

  /** Addresses of a part, for the checker. */
  PinnedRange range(long offset, long bytes) {
    return new PinnedRange(device, address, size(), address + offset, address + offset + bytes);
  }

  /** A part is written, now or later, in another way than through views. */
  void willBeWritten(long offset, long bytes) {
    unwritten.remove(offset, offset + bytes);
  }

  /** The same of a range of addresses, of which some may lie here. */
  void willBeWrittenAt(long start, long bytes) {
    willBeWritten(start - address, Math.min(bytes, size() - (start - address)));
  }

  /** The parts of a range that hold nothing. */
  List<PinnedRange> unwritten(long offset, long bytes) {
    if (unwritten.isEmpty()) {
      return List.of();
    }
    pinned.compare(range(offset, bytes));
    return unwritten.in((int) offset, (int) (offset + bytes)).stream()
        .map(part -> range(part.start(), part.end() - part.start()))
        .toList();
  }

  /** Work was submitted that reads a part: the host leaves it alone until then. */
  void submitted(Operation reader, long offset, long bytes) {
    pinned.submitted(
        reader, range(offset, bytes), content.slice((int) offset, (int) bytes), change);
  }

  /** Work was submitted that reads a range of addresses, of which some may lie here. */
  void submittedAt(Operation reader, long start, long bytes) {
    long offset = start - address;
    long inside = Math.min(bytes, size() - offset);
    if (inside > 0) {
      submitted(reader, offset, inside);
    }
  }

  @Override
  public void read(long offset, byte[] target, int at, int count) {
    content.get((int) offset, target, at, count);
  }

  @Override
  public void write(long offset, byte[] source, int from, int count) {
    pinned.written(range(offset, count), () -> content.put((int) offset, source, from, count));
  }

  @Override
  public void fill(long offset, byte value, long count) {
    pinned.written(
        range(offset, count),
        () -> {
          for (int at = (int) offset; at < offset + count; at++) {
            content.put(at, value);
          }
        });
  }
}
