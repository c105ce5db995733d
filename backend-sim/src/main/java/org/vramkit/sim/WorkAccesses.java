package org.vramkit.sim;

import java.util.List;
import java.util.function.Consumer;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.check.AccessChecker;
import org.vramkit.sim.check.Checker;
import org.vramkit.sim.check.Operation;
import org.vramkit.sim.check.PinnedRange;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.memory.AddressSpace;

/** The accesses of a piece of work, and their checks. */
interface WorkAccesses {
  /** Returns the number of bytes read and written, on which the duration depends. */
  long bytes();

  /**
   * Returns the ranges of device addresses that the driver checks when it is called; none for
   * kernels.
   */
  default List<Range> ranges() {
    return List.of();
  }

  /** Calls an action for all ranges of device addresses that it accesses. */
  default void eachRange(Consumer<Range> action) {
    ranges().forEach(action);
  }

  /** Returns whether it copies between memories, which the driver can stage. */
  default boolean isCopy() {
    return true;
  }

  /** Returns whether the driver lets the multiprocessors make a fill or copy of a graph. */
  default boolean runsAsKernel() {
    return false;
  }

  /** Checks the accesses of a device; returns whether a real one could continue. */
  boolean check(Checker checker, Operation by, int device);

  /** Updates the host buffers that the work accesses, after the check. */
  void updateHostViews(AddressSpace space, Operation by);

  /** Notes that work reads a range, which may lie in a host buffer. */
  private static void hostMemoryRead(AddressSpace space, Operation by, long start, long bytes) {
    HostBytes buffer = AddressSpace.isOfHost(start) ? HostBytes.at(space, start) : null;
    if (buffer != null) {
      buffer.submittedAt(by, start, bytes);
    }
  }

  /** Notes that work writes a range, which may lie in a host buffer. */
  private static void hostMemoryWritten(AddressSpace space, long start, long bytes) {
    HostBytes buffer = AddressSpace.isOfHost(start) ? HostBytes.at(space, start) : null;
    if (buffer != null) {
      buffer.willBeWrittenAt(start, bytes);
    }
  }

  /** The ranges that a kernel reads, writes, and accesses by atomic operations. */
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
    public void eachRange(Consumer<Range> action) {
      reads.forEach(action);
      writes.forEach(action);
      atomics.forEach(action);
    }

    @Override
    public boolean check(Checker checker, Operation by, int device) {
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

  /**
   * Adds two sizes; limited to {@link Long#MAX_VALUE}, because declared ranges may be that long.
   */
  private static long plus(long bytes, long more) {
    return bytes > Long.MAX_VALUE - more ? Long.MAX_VALUE : bytes + more;
  }

  /** A fill. */
  record Fill(Range range) implements WorkAccesses {
    /**
     * An H200 with driver 580 runs a fill of 2100 bytes without a kernel, and one of 1 MiB as one.
     */
    private static final long WITHOUT_KERNEL = 2100;

    @Override
    public boolean runsAsKernel() {
      return range.bytes > WITHOUT_KERNEL;
    }

    @Override
    public long bytes() {
      return range.bytes;
    }

    @Override
    public List<Range> ranges() {
      return List.of(range);
    }

    @Override
    public boolean isCopy() {
      return false;
    }

    @Override
    public boolean check(Checker checker, Operation by, int device) {
      return new Ranges(List.of(), ranges(), List.of()).check(checker, by, device);
    }

    @Override
    public void updateHostViews(AddressSpace space, Operation by) {
      hostMemoryWritten(space, range.address, range.bytes);
    }
  }

  /** A copy from a pageable host buffer, which is staged at once. */
  record FromHost(long target, long bytes) implements WorkAccesses {
    @Override
    public List<Range> ranges() {
      return List.of(new Range(target, bytes));
    }

    @Override
    public boolean check(Checker checker, Operation by, int device) {
      return checker.work.copyFromHost(by, device, target, bytes);
    }

    @Override
    public void updateHostViews(AddressSpace space, Operation by) {
      hostMemoryWritten(space, target, bytes);
    }
  }

  /** A copy to a pageable host buffer. */
  record ToHost(long source, long bytes) implements WorkAccesses {
    @Override
    public List<Range> ranges() {
      return List.of(new Range(source, bytes));
    }

    @Override
    public boolean check(Checker checker, Operation by, int device) {
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
    public List<Range> ranges() {
      return List.of(new Range(target, bytes));
    }

    @Override
    public boolean check(Checker checker, Operation by, int device) {
      List<PinnedRange> unwritten = by.isCaptured() ? List.of() : source.unwritten(offset, bytes);
      checker.pinned.copied(by, source.bytes.range(offset, bytes), AccessKind.READ);
      boolean legal = checker.work.copyFromHost(by, device, target, bytes);
      long distance = target - source.address - offset;
      unwritten.forEach(part -> checker.work.copiedUnwritten(by, part.start() + distance, part));
      checker.work.moved(by, target, target - distance, bytes);
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
    public List<Range> ranges() {
      return List.of(new Range(source, bytes));
    }

    @Override
    public boolean check(Checker checker, Operation by, int device) {
      checker.pinned.copied(by, target.bytes.range(offset, bytes), AccessKind.WRITE);
      boolean legal = checker.work.copyToHost(by, device, source, bytes);
      checker.work.moved(by, target.address + offset, source, bytes);
      return legal;
    }

    @Override
    public void updateHostViews(AddressSpace space, Operation by) {
      target.bytes.willBeWritten(offset, bytes);
      hostMemoryRead(space, by, source, bytes);
    }
  }

  /** A copy between devices or within one, which also copies unwritten bytes as such. */
  record Copy(long target, long source, long count) implements WorkAccesses {
    @Override
    public boolean runsAsKernel() {
      return !AddressSpace.isOfHost(target) && !AddressSpace.isOfHost(source);
    }

    @Override
    public long bytes() {
      return plus(count, count);
    }

    @Override
    public List<Range> ranges() {
      return List.of(new Range(source, count), new Range(target, count));
    }

    @Override
    public boolean check(Checker checker, Operation by, int device) {
      return checker.work.copy(by, device, target, source, count);
    }

    @Override
    public void updateHostViews(AddressSpace space, Operation by) {
      hostMemoryRead(space, by, source, count);
      hostMemoryWritten(space, target, count);
    }
  }

  record Range(long address, long bytes) {
    /** Creates a range; {@code by} names the accessing work in errors. */
    static Range of(String by, long address, long bytes) {
      boolean wraps = address + bytes < address || (address < 0 && address + bytes > 0);
      if (bytes < 0 || wraps) {
        throw new InvalidArgumentException(
            "%s cannot access %s bytes from 0x%x on: negative, or beyond all addresses"
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
