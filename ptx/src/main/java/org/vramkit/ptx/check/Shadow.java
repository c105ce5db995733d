package org.vramkit.ptx.check;

import org.jspecify.annotations.Nullable;

/**
 * The last accesses to a range of memory: for each word of four bytes one write and two reads. A
 * word whose bytes have been accessed one by one has cells for each of them instead.
 */
public final class Shadow {
  private static final int WORD = 4;

  /** Stands for cells that are all zero: most ranges are only read, or only written. */
  private static final long[] ZEROS = new long[1 << 12];

  final long address;

  /** Last writes; {@link #write} changes them. */
  long[] writes;

  /** Last reads, of one thread; {@link #read} changes them. */
  long[] reads;

  /** A second reader, of another thread than the first; created when needed. */
  long @Nullable [] otherReads;

  /** Plain writes that atomic operations have followed; created when needed. */
  long @Nullable [] plainWrites;

  /** Cells per byte; null as long as all accesses are of whole words. */
  @Nullable Shadow bytes;

  /** Words that have cells per byte. */
  private boolean @Nullable [] split;

  /** Bytes of a cell, as a power of two. */
  final int shift;

  private final int cells;
  private final int size;

  /** Creates the shadow of a range that begins at a multiple of 4. */
  public Shadow(long address, int bytes) {
    this(address, bytes, 2);
  }

  private Shadow(long address, int size, int shift) {
    this.address = address;
    this.size = size;
    this.shift = shift;
    this.cells = end(size);
    this.writes = cells <= ZEROS.length ? ZEROS : new long[cells];
    this.reads = cells <= ZEROS.length ? ZEROS : new long[cells];
  }

  /**
   * Returns the cells of an access: those of words, or of bytes if it splits words or finds any.
   */
  Shadow cellsOf(int offset, int count) {
    boolean[] words = split;
    int first = offset >>> 2;
    int last = (offset + count - 1) >>> 2;
    if (((offset | count) & 3) == 0) {
      boolean any = false;
      for (int i = first; words != null && i <= last; i++) {
        any |= words[i];
      }
      if (!any) {
        return this;
      }
    }
    Shadow fine = bytes;
    if (fine == null || words == null) {
      fine = new Shadow(address, size + WORD, 0);
      words = new boolean[cells];
      bytes = fine;
      split = words;
    }
    for (int i = first; i <= last; i++) {
      if (!words[i]) {
        words[i] = true;
        copy(fine, i);
      }
    }
    return fine;
  }

  private void copy(Shadow fine, int word) {
    for (int b = word * WORD; b < word * WORD + WORD; b++) {
      fine.write(b, writes[word]);
      fine.read(b, reads[word]);
      if (otherReads != null && otherReads[word] != 0) {
        fine.others()[b] = otherReads[word];
      }
      if (plainWrites != null && plainWrites[word] != 0) {
        fine.plain()[b] = plainWrites[word];
      }
    }
  }

  /** Returns the cell behind those of the bytes before an offset. */
  int end(int offset) {
    return (offset + (1 << shift) - 1) >>> shift;
  }

  int getCells() {
    return cells;
  }

  void write(int at, long cell) {
    if (writes == ZEROS) {
      writes = new long[cells];
    }
    writes[at] = cell;
  }

  void read(int at, long cell) {
    if (reads == ZEROS) {
      reads = new long[cells];
    }
    reads[at] = cell;
  }

  long[] others() {
    if (otherReads == null) {
      otherReads = new long[cells];
    }
    return otherReads;
  }

  long[] plain() {
    if (plainWrites == null) {
      plainWrites = new long[cells];
    }
    return plainWrites;
  }

  boolean isSplitWord(int word) {
    return split != null && split[word];
  }
}
