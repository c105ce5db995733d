package org.vramkit.sim;

import java.util.List;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.check.AccessChecker;
import org.vramkit.sim.check.Checker;
import org.vramkit.sim.check.Operation;
import org.vramkit.sim.check.PinnedRange;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.memory.AddressSpace;

/** What a piece of work touches: how many bytes, and what the checker is told of them. */
interface WorkAccesses {
  /** How many bytes move through the device's memory. */
  long bytes();

  /** Judges it as work of a device; whether a real one could have gone on after it. */
  boolean judge(Checker checker, Operation by, int device);

  /** Tells the buffers that the host has views of what is done to them, once it is judged. */
  void updateHostViews(AddressSpace space, Operation by);

  /** Work reads a range, which may lie in a buffer of the host. */
  private static void hostMemoryRead(AddressSpace space, Operation by, long start, long bytes) {
    HostBytes buffer = AddressSpace.isOfHost(start) ? HostBytes.at(space, start) : null;
    if (buffer != null) {
      buffer.submittedAt(by, start, bytes);
    }
  }

  /** Work writes a range, which may lie in a buffer of the host. */
  private static void hostMemoryWritten(AddressSpace space, long start, long bytes) {
    HostBytes buffer = AddressSpace.isOfHost(start) ? HostBytes.at(space, start) : null;
    if (buffer != null) {
      buffer.willBeWrittenAt(start, bytes);
    }
  }

  /** Ranges that are read, then ranges that are written, and those of atomic operations. */
  record Ranges(List<Range> reads, List<Range> writes, List<Range> atomics)
      implements WorkAccesses {
    @Override
    public long bytes() {
      return plus(plus(sum(reads), sum(writes)), sum(atomics));
    }

    private static long sum(List<Range> ranges) {
      long sum = 0;
      for (Range range : ranges) {
        sum = plus(sum, range.bytes());
      }
      return sum;
    }

    @Override
    public boolean judge(Checker checker, Operation by, int device) {
      AccessChecker work = checker.work;
      boolean legal = true;
      by.begin();
      for (Range range : reads) {
        legal &= work.read(by, device, range.address(), range.bytes());
      }
      for (Range range : writes) {
        legal &= work.write(by, device, range.address(), range.bytes());
      }
      for (Range range : atomics) {
        legal &= work.change(by, device, range.address(), range.bytes());
      }
      by.settle();
      return legal;
    }

    @Override
    public void updateHostViews(AddressSpace space, Operation by) {
      reads.forEach(range -> hostMemoryRead(space, by, range.address(), range.bytes()));
      writes.forEach(range -> hostMemoryWritten(space, range.address(), range.bytes()));
      atomics.forEach(range -> hostMemoryWritten(space, range.address(), range.bytes()));
    }
  }

  /** A sum that ends at the largest number, because ranges may be as long as that. */
  private static long plus(long bytes, long more) {
    return bytes > Long.MAX_VALUE - more ? Long.MAX_VALUE : bytes + more;
  }

  static WorkAccesses fill(long address, long bytes) {
    return new Ranges(List.of(), List.of(new Range(address, bytes)), List.of());
  }

  /** A copy from a buffer of the host that is not page-locked, taken over at once. */
  record FromHost(long target, long bytes) implements WorkAccesses {
    @Override
    public boolean judge(Checker checker, Operation by, int device) {
      return checker.work.copyFromHost(by, device, target, bytes);
    }

    @Override
    public void updateHostViews(AddressSpace space, Operation by) {
      hostMemoryWritten(space, target, bytes);
    }
  }

  /** A copy to a buffer of the host that is not page-locked. */
  record ToHost(long source, long bytes) implements WorkAccesses {
    @Override
    public boolean judge(Checker checker, Operation by, int device) {
      return checker.work.copyToHost(by, device, source, bytes);
    }

    @Override
    public void updateHostViews(AddressSpace space, Operation by) {
      hostMemoryRead(space, by, source, bytes);
    }
  }

  record FromPinned(long target, SimPinnedBuffer source, long offset, long bytes)
      implements WorkAccesses {
    @Override
    public boolean judge(Checker checker, Operation by, int device) {
      List<PinnedRange> unwritten = by.isCaptured() ? List.of() : source.unwritten(offset, bytes);
      checker.pinned.copied(by, source.bytes.range(offset, bytes), AccessKind.READ);
      boolean legal = checker.work.copyFromHost(by, device, target, bytes);
      long distance = target - source.address - offset;
      unwritten.forEach(part -> checker.work.copiedUnwritten(by, part.start() + distance, part));
      return legal;
    }

    @Override
    public void updateHostViews(AddressSpace space, Operation by) {
      source.bytes.submitted(by, offset, bytes);
      hostMemoryWritten(space, target, bytes);
    }
  }

  record ToPinned(SimPinnedBuffer target, long offset, long source, long bytes)
      implements WorkAccesses {
    @Override
    public boolean judge(Checker checker, Operation by, int device) {
      checker.pinned.copied(by, target.bytes.range(offset, bytes), AccessKind.WRITE);
      return checker.work.copyToHost(by, device, source, bytes);
    }

    @Override
    public void updateHostViews(AddressSpace space, Operation by) {
      target.bytes.willBeWritten(offset, bytes);
      hostMemoryRead(space, by, source, bytes);
    }
  }

  /** A range whose bytes, written or not, go to another one. */
  record Copy(long target, long source, long count) implements WorkAccesses {
    @Override
    public long bytes() {
      return plus(count, count);
    }

    @Override
    public boolean judge(Checker checker, Operation by, int device) {
      return checker.work.copy(by, device, target, source, count);
    }

    @Override
    public void updateHostViews(AddressSpace space, Operation by) {
      hostMemoryRead(space, by, source, count);
      hostMemoryWritten(space, target, count);
    }
  }

  record Range(long address, long bytes) {
    /** A range that something touches; an error tells by what. */
    static Range of(String by, long address, long bytes) {
      boolean wraps = address + bytes < address || (address < 0 && address + bytes > 0);
      if (bytes < 0 || wraps) {
        throw new InvalidArgumentException(
            "%s cannot touch %s bytes from 0x%x on: negative, or beyond all addresses"
                .formatted(by, bytes, address));
      }
      return new Range(address, bytes);
    }

    @Override
    public String toString() {
      return "[0x%x, +%s)".formatted(address, bytes);
    }
  }
}
