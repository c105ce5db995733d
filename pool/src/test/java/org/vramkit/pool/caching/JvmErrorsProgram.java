package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.CheckerOptions;

/**
 * Allocates and closes at the end of the stack, or of the JVM's memory, and looks afterwards
 * whether anything was lost. A program of its own, because a JVM in that state runs no tests.
 *
 * <p>Arguments: {@code stack} or {@code heap}, a kind of memory, a number of rounds, the first
 * seed.
 */
final class JvmErrorsProgram {
  private static final int SLOTS = 256;
  private static final long STACK_BYTES = 512 << 10;

  /** So that no class is first used, and thus lost, at the end of the stack. */
  private static final int WARM_UP = 3000;

  private final SimBackend backend =
      SimBackend.builder()
          .device(DeviceProfile.SMALL_8GIB)
          .bytes(false)
          .checker(CheckerOptions.OFF)
          .build();
  private final long usedBefore = backend.getDevice(0).getMemoryInfo().getUsedBytes();
  private final VirtualMemoryUse use;
  private CachingAllocator allocator;
  private final SimStream stream = backend.getDevice(0).createStream();
  private final SimStream other = backend.getDevice(0).createStream();
  private final @Nullable Allocation[] held = new Allocation[SLOTS];
  private SplittableRandom random = new SplittableRandom(1);
  private long errors;
  private long rounds;

  /** Whether it does not only allocate and close. */
  private boolean lookAround;

  private JvmErrorsProgram(VirtualMemoryUse use) {
    this.use = use;
    allocator = newAllocator();
  }

  private CachingAllocator newAllocator() {
    return CachingAllocator.builder(backend.getDevice(0))
        .virtualMemory(use)
        .threadCache(1 << 18)
        .limit(512 << 20)
        .build();
  }

  public static void main(String[] args) throws InterruptedException {
    JvmErrorsProgram program = new JvmErrorsProgram(VirtualMemoryUse.valueOf(args[1]));
    int rounds = Integer.parseInt(args[2]);
    int first = Integer.parseInt(args[3]);
    boolean stack = args[0].equals("stack");
    program.lookAround = stack;
    for (int i = 0; i < WARM_UP; i++) {
      program.work();
    }
    for (int i = 0; i < rounds; i++) {
      program.round(first + i, stack ? program::atTheEndOfTheStack : program::atTheEndOfTheHeap);
    }
    program.finish(stack);
    System.out.println(program.errors + " errors in " + program.rounds + " rounds");
    if (program.errors == 0) {
      throw new AssertionError("no error was met");
    }
  }

  private void round(int seed, Runnable work) throws InterruptedException {
    random = new SplittableRandom(seed);
    Thread thread = new Thread(null, work, "round " + seed, STACK_BYTES);
    thread.start();
    thread.join();
    rounds++;
    int open = 0;
    for (Allocation each : held) {
      open += each == null ? 0 : 1;
    }
    long live = allocator.getStatistics().allocations().current();
    if (live != open) {
      throw new AssertionError("round " + seed + ": " + live + " live, " + open + " held");
    }
    for (int i = 0; i < SLOTS; i++) {
      close(i);
    }
    if (allocator.pools().main.heap.isBroken()) {
      replaceBroken();
      return;
    }
    allocator.allocate(1000, stream).close();
    allocator.allocate(100 << 20, other).close();
    allocator.trim(0);
    if (allocator.getStatistics().reserved().current() != 0) {
      throw new AssertionError("round " + seed + ": lost " + allocator.getSnapshot());
    }
  }

  /** An allocator that cannot go on says why, and closes. */
  private void replaceBroken() {
    try {
      allocator.allocate(100 << 20, other);
      throw new AssertionError("a broken allocator goes on");
    } catch (IllegalStateException e) {
      if (!(e.getCause() instanceof Error)) {
        throw new AssertionError("without its cause", e);
      }
    }
    allocator.close();
    allocator = newAllocator();
  }

  private void finish(boolean stack) {
    allocator.close();
    stream.close();
    other.close();
    long used = backend.getDevice(0).getMemoryInfo().getUsedBytes() - usedBefore;
    // Without memory the simulator loses some itself, which is not the allocator's.
    if (stack && used != 0) {
      throw new AssertionError(used + " bytes were not given back");
    }
  }

  // ---- the end of the stack ----

  private void atTheEndOfTheStack() {
    deeper(0);
  }

  @SuppressWarnings("InfiniteRecursion") // that is what it is for
  private int deeper(int depth) {
    int deepest = depth;
    try {
      deepest = deeper(depth + 1);
    } catch (StackOverflowError e) {
      errors++;
    }
    // On the way back each level tries with a little more room than the one before.
    if (deepest - depth < 400) {
      tryToWork();
    }
    return deepest;
  }

  private void tryToWork() {
    try {
      work();
    } catch (StackOverflowError e) {
      errors++;
    }
  }

  // ---- the end of the heap ----

  private void atTheEndOfTheHeap() {
    List<Object> ballast = new ArrayList<>(1 << 20);
    try {
      for (int i = 0; i < SLOTS; i++) {
        work();
      }
      for (int size = 1 << 20; size > 0; size /= 2) {
        fill(ballast, size);
      }
      for (int i = 0; i < 200; i++) {
        tryToWorkWithoutMemory(ballast);
      }
    } finally {
      ballast.clear();
    }
  }

  private static void fill(List<Object> ballast, int size) {
    try {
      while (true) {
        ballast.add(new byte[size]);
      }
    } catch (OutOfMemoryError full) {
      // As it was meant.
    }
  }

  private void tryToWorkWithoutMemory(List<Object> ballast) {
    try {
      work();
    } catch (OutOfMemoryError e) {
      errors++;
      if (ballast.size() > 64 && random.nextInt(4) == 0) {
        // A little room, so that the next try comes farther.
        for (int i = random.nextInt(60); i >= 0; i--) {
          ballast.remove(ballast.size() - 1);
        }
      }
    }
  }

  // ---- what is tried ----

  private void work() {
    if (lookAround && random.nextInt(3) == 0) {
      lookAround();
      return;
    }
    int slot = random.nextInt(SLOTS);
    if (held[slot] != null) {
      close(slot);
      return;
    }
    long bytes = 1L + random.nextInt(1 << (9 + random.nextInt(15)));
    try {
      held[slot] = allocator.allocate(bytes, random.nextBoolean() ? stream : other);
    } catch (DeviceOutOfMemoryException full) {
      errors++;
    }
  }

  /** All else takes locks too, and leaves none taken. */
  private void lookAround() {
    switch (random.nextInt(7)) {
      case 0 -> allocator.getStatistics();
      case 1 -> allocator.getSnapshot();
      case 2 -> allocator.trim(0);
      case 3 -> allocator.decay();
      case 4 -> allocator.resetPeaks();
      case 5 -> allocator.startHistory(1 << 16, false);
      default -> allocator.stopHistory();
    }
  }

  private void close(int slot) {
    Allocation block = held[slot];
    if (block == null) {
      return;
    }
    try {
      if (random.nextInt(4) == 0) {
        block.recordUse(other);
      }
      block.close();
    } finally {
      // Whatever failed, a handle is closed or is not.
      if (block.isClosed()) {
        held[slot] = null;
      }
    }
  }
}
