package org.vramkit.sim;

import java.util.List;
import org.vramkit.sim.SimKernel.Range;
import org.vramkit.sim.check.AccessChecker;
import org.vramkit.sim.check.Checker;
import org.vramkit.sim.check.Operation;
import org.vramkit.sim.check.PinnedRange;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.memory.AddressSpace;

/** What a piece of work touches: how many bytes, and what the checker is told of them. */
interface Touches {
  /** How many bytes move through the device's memory. */
  long bytes();

  /** Judges it as work of a device; whether a real one could have gone on after it. */
  boolean judge(Checker checker, Operation by, int device);

  /** Tells the buffers that the host has views of what is done to them, once it is judged. */
  void tellHost(AddressSpace space, Operation by);

  /** Work reads a range, which may lie in a buffer of the host. */
  private static void readsOfHost(AddressSpace space, Operation by, long start, long bytes) {
    HostBytes buffer = AddressSpace.isOfHost(start) ? HostBytes.at(space, start) : null;
    if (buffer != null) {
      buffer.submittedAt(by, start, bytes);
    }
  }

  /** Work writes a range, which may lie in a buffer of the host. */
  private static void writesToHost(AddressSpace space, long start, long bytes) {
    HostBytes buffer = AddressSpace.isOfHost(start) ? HostBytes.at(space, start) : null;
    if (buffer != null) {
      buffer.willBeWrittenAt(start, bytes);
    }
  }

  /** Ranges that are read, then ranges that are written, and those of atomic operations. */
  record Ranges(List<Range> reads, List<Range> writes, List<Range> atomics) implements Touches {
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
    public void tellHost(AddressSpace space, Operation by) {
      reads.forEach(range -> readsOfHost(space, by, range.address(), range.bytes()));
      writes.forEach(range -> writesToHost(space, range.address(), range.bytes()));
      atomics.forEach(range -> writesToHost(space, range.address(), range.bytes()));
    }
  }

  /** A sum that ends at the largest number, because ranges may be as long as that. */
  private static long plus(long bytes, long more) {
    return bytes > Long.MAX_VALUE - more ? Long.MAX_VALUE : bytes + more;
  }

  static Touches fill(long address, long bytes) {
    return new Ranges(List.of(), List.of(new Range(address, bytes)), List.of());
  }

  /** A copy from a buffer of the host that is not page-locked, taken over at once. */
  record FromHost(long target, long bytes) implements Touches {
    @Override
    public boolean judge(Checker checker, Operation by, int device) {
      return checker.work.copyFromHost(by, device, target, bytes);
    }

    @Override
    public void tellHost(AddressSpace space, Operation by) {
      writesToHost(space, target, bytes);
    }
  }

  /** A copy to a buffer of the host that is not page-locked. */
  record ToHost(long source, long bytes) implements Touches {
    @Override
    public boolean judge(Checker checker, Operation by, int device) {
      return checker.work.copyToHost(by, device, source, bytes);
    }

    @Override
    public void tellHost(AddressSpace space, Operation by) {
      readsOfHost(space, by, source, bytes);
    }
  }

  record FromPinned(long target, SimPinnedBuffer source, long offset, long bytes)
      implements Touches {
    @Override
    public boolean judge(Checker checker, Operation by, int device) {
      List<PinnedRange> unwritten = by.isCaptured() ? List.of() : source.unwritten(offset, bytes);
      checker.pinned.copied(by, source.bytes.range(offset, bytes), AccessKind.READ);
      boolean legal = checker.work.copyFromHost(by, device, target, bytes);
      long distance = target - source.address - offset;
      unwritten.forEach(part -> checker.work.brought(by, part.start() + distance, part));
      return legal;
    }

    @Override
    public void tellHost(AddressSpace space, Operation by) {
      source.bytes.submitted(by, offset, bytes);
      writesToHost(space, target, bytes);
    }
  }

  record ToPinned(SimPinnedBuffer target, long offset, long source, long bytes) implements Touches {
    @Override
    public boolean judge(Checker checker, Operation by, int device) {
      checker.pinned.copied(by, target.bytes.range(offset, bytes), AccessKind.WRITE);
      return checker.work.copyToHost(by, device, source, bytes);
    }

    @Override
    public void tellHost(AddressSpace space, Operation by) {
      target.bytes.willBeWritten(offset, bytes);
      readsOfHost(space, by, source, bytes);
    }
  }

  /** A range whose bytes, written or not, go to another one. */
  record Copy(long target, long source, long count) implements Touches {
    @Override
    public long bytes() {
      return plus(count, count);
    }

    @Override
    public boolean judge(Checker checker, Operation by, int device) {
      return checker.work.copy(by, device, target, source, count);
    }

    @Override
    public void tellHost(AddressSpace space, Operation by) {
      readsOfHost(space, by, source, count);
      writesToHost(space, target, count);
    }
  }
}
