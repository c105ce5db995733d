package org.vramkit.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Small pieces of native memory that the driver fills or reads during a call. They are taken and
 * given back instead of made: a call leaves no garbage, whatever thread it comes from. Of a thread
 * they are not, as there may be a million virtual ones. Safe for any thread.
 */
final class Cells {
  /** What a cell has room for. */
  static final int BYTES = 64;

  /** Apart by two cache lines: processors fetch them in pairs. */
  private static final int STRIDE = 128;

  /** Where a cell says whether it is taken. */
  private static final int TAKEN = BYTES;

  /** As many calls at once share one block; a power of two. */
  private static final int COUNT = 64;

  /** All of the process's memory, by address. */
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private static final Block FIRST = new Block();

  private Cells() {}

  /** Cells, and more of them once more calls are under way; never given back. */
  private static final class Block {
    final long first = Arena.global().allocate((long) COUNT * STRIDE, STRIDE).address();
    private final AtomicReference<@Nullable Block> next = new AtomicReference<>();

    long tryTake() {
      int start = (int) Thread.currentThread().threadId();
      for (int i = 0; i < COUNT; i++) {
        long cell = first + (long) ((start + i) & (COUNT - 1)) * STRIDE;
        if ((int) INT.get(ALL, cell + TAKEN) == 0 && INT.compareAndSet(ALL, cell + TAKEN, 0, 1)) {
          return cell;
        }
      }
      return 0;
    }

    Block next() {
      Block known = next.get();
      if (known != null) {
        return known;
      }
      Block made = new Block();
      Block other = next.compareAndExchange(null, made);
      return other != null ? other : made;
    }
  }

  /** The address of a cell of zeros in its first 16 bytes, the caller's until it is given back. */
  static long take() {
    Block block = FIRST;
    long cell = block.tryTake();
    while (cell == 0) {
      block = block.next();
      cell = block.tryTake();
    }
    putLong(cell, 0);
    putLong(cell + Long.BYTES, 0);
    return cell;
  }

  static void give(long cell) {
    INT.setRelease(ALL, cell + TAKEN, 0);
  }

  static long getLong(long address) {
    return ALL.get(ValueLayout.JAVA_LONG, address);
  }

  static void putLong(long address, long value) {
    ALL.set(ValueLayout.JAVA_LONG, address, value);
  }

  static int getInt(long address) {
    return ALL.get(ValueLayout.JAVA_INT, address);
  }

  static void putInt(long address, int value) {
    ALL.set(ValueLayout.JAVA_INT, address, value);
  }
}
