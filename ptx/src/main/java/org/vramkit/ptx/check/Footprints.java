package org.vramkit.ptx.check;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.vramkit.ptx.report.AccessedRange;
import org.vramkit.ptx.report.CodeLine;
import org.vramkit.ptx.report.Footprint;

/** Merges the accesses of a launch into ranges. */
public final class Footprints {
  private final IntFunction<CodeLine> lines;
  private final Merger reads = new Merger();
  private final Merger writes = new Merger();
  private final Merger atomics = new Merger();

  /** Creates an empty footprint; {@code lines} has the line of each step. */
  public Footprints(IntFunction<CodeLine> lines) {
    this.lines = lines;
  }

  /** Adds the accesses to a range; ranges come in the order of addresses. */
  public void add(Shadow shadow, int bytes) {
    for (int word = 0; word < shadow.getCells(); word++) {
      if (shadow.isSplitWord(word) && shadow.bytes != null) {
        for (int b = word * 4; b < Math.min(word * 4 + 4, bytes); b++) {
          add(shadow.bytes, b, shadow.address + b, 1);
        }
      } else {
        add(shadow, word, shadow.address + word * 4L, 4);
      }
    }
  }

  private void add(Shadow shadow, int cell, long address, int bytes) {
    long read = shadow.reads[cell];
    long write = shadow.writes[cell];
    if ((read & Cell.KEPT) != 0) {
      reads.add(address, bytes, read);
    }
    if ((write & Cell.KEPT) != 0) {
      writes.add(address, bytes, write);
    } else if (write != 0) {
      atomics.add(address, bytes, write);
    }
  }

  public Footprint build() {
    return new Footprint(reads.build(), writes.build(), atomics.build());
  }

  private final class Merger {
    private final List<AccessedRange> ranges = new ArrayList<>();
    private long begin;
    private long end;
    private int step;

    void add(long address, int bytes, long cell) {
      if (address != end || begin == end) {
        flush();
        begin = address;
        step = Cell.step(cell);
      }
      end = address + bytes;
    }

    private void flush() {
      if (begin != end) {
        ranges.add(new AccessedRange(begin, end - begin, lines.apply(step)));
      }
    }

    List<AccessedRange> build() {
      flush();
      begin = end;
      return ranges;
    }
  }
}
