package org.vramkit.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A pool of small native buffers for output and input of driver calls, so that calls allocate
 * nothing. Safe for any thread.
 *
 * <p>The first platform threads own one cell each, which they take without an atomic operation
 * until they end. All other threads share cells, because there may be a million virtual threads.
 */
final class Cells {
  /** The size of a cell in bytes. */
  static final int BYTES = 64;

  /** Distance of cells in bytes: two cache lines, because processors prefetch them in pairs. */
  private static final int STRIDE = 128;

  /** The offset of a cell's flag that marks it as taken. */
  private static final int TAKEN = BYTES;

  /** Number of cells of a block; a power of two. */
  private static final int COUNT = 64;

  /** A segment of the process's whole address space. */
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private static final Block OWNED = new Block();
  private static final Block SHARED = new Block();

  /** The owners of cells in the owned block by cell number; null for cells without an owner. */
  private static final AtomicReferenceArray<@Nullable Owner> OWNERS =
      new AtomicReferenceArray<>(COUNT);

  private Cells() {}

  /** A block of cells; never freed. */
  private static final class Block {
    private final long first = Arena.global().allocate((long) COUNT * STRIDE, STRIDE).address();
    private final AtomicReference<@Nullable Block> next = new AtomicReference<>();

    long cell(int number) {
      return first + (long) (number & (COUNT - 1)) * STRIDE;
    }

    long tryTake(int start) {
      for (int i = 0; i < COUNT; i++) {
        long cell = cell(start + i);
        if ((int) INT.get(ALL, cell + TAKEN) == 0 && INT.compareAndSet(ALL, cell + TAKEN, 0, 1)) {
          return cell;
        }
      }
      return 0;
    }

    /** Returns the next block of the list, and creates it if there is none. */
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

  /** A platform thread and the cell that it owns until it ends. */
  private static final class Owner extends WeakReference<Thread> {
    final long cell;

    Owner(Thread thread, long cell) {
      super(thread);
      this.cell = cell;
    }

    boolean hasEnded() {
      Thread thread = get();
      return thread == null || !thread.isAlive();
    }
  }

  /** Takes a cell, whose first 16 bytes are zero, and returns its address. */
  static long take() {
    Thread thread = Thread.currentThread();
    int number = (int) thread.threadId();
    Owner owner = OWNERS.getPlain(number & (COUNT - 1));
    long cell =
        owner != null && owner.refersTo(thread) && getInt(owner.cell + TAKEN) == 0
            ? takeOwn(owner)
            : takeOther(thread, number);
    putLong(cell, 0);
    putLong(cell + Long.BYTES, 0);
    return cell;
  }

  /** Takes a cell that only its owner accesses. */
  private static long takeOwn(Owner owner) {
    putInt(owner.cell + TAKEN, 1);
    return owner.cell;
  }

  private static long takeOther(Thread thread, int number) {
    int place = number & (COUNT - 1);
    Owner before = OWNERS.get(place);
    if (!thread.isVirtual() && (before == null || before.hasEnded())) {
      Owner owner = new Owner(thread, OWNED.cell(number));
      if (OWNERS.compareAndSet(place, before, owner)) {
        return takeOwn(owner);
      }
    }
    Block block = SHARED;
    long cell = block.tryTake(number);
    while (cell == 0) {
      block = block.next();
      cell = block.tryTake(number);
    }
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
