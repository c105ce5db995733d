package org.vramkit.pool.caching.stress;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.caching.PoolScope;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.PrivatePoolOptions;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/**
 * One thread of a soak. It keeps every rule: writes a block before it is read, orders streams by
 * events, records uses, and leaves the close of some blocks to other threads.
 */
final class SoakMember {
  private static final int MOST_HELD = 24;
  private static final int LARGEST_BITS = 25;
  private static final int LONGEST_KERNEL = 200_000;

  /** A live block; its marked byte has the value once its stream has come so far. */
  record Held(Allocation block, SimStream stream, byte value) {
    long marked() {
      return block.getAddress() + (value % 2 == 0 ? 0 : block.getSize() - 1);
    }
  }

  private final Soak soak;
  private final SplittableRandom random;
  private final SimStream own;
  private final List<Held> held = new ArrayList<>();

  SoakMember(Soak soak, long seed) {
    this.soak = soak;
    this.random = new SplittableRandom(seed);
    this.own = soak.device.createStream();
    soak.streams.add(own);
  }

  void step() {
    int choice = random.nextInt(1000);
    if (choice < 440) {
      allocate();
    } else if (choice < 640) {
      free(takeAny());
    } else if (choice < 780) {
      useElsewhereAndFree(takeAny());
    } else if (choice < 860) {
      passOn(takeAny());
    } else if (choice < 940) {
      free(soak.passed.poll());
    } else if (choice < 970) {
      soak.backend.advance(random.nextLong(LONGEST_KERNEL));
    } else if (choice < 980) {
      soak.allocator.trim(random.nextLong(Soak.LIMIT));
    } else if (choice < 990) {
      changePools();
    } else {
      own.synchronize();
    }
  }

  /** Closes all that it has. */
  void finish() {
    while (!held.isEmpty()) {
      free(takeAny());
    }
    free(soak.passed.poll());
  }

  private void allocate() {
    SimStream stream = random.nextInt(4) == 0 ? soak.anyStream(random) : own;
    long bytes = 1 + random.nextLong(1L << random.nextInt(LARGEST_BITS + 1));
    if (random.nextInt(200) == 0) {
      bytes = 1 + random.nextLong(2 * Soak.LIMIT);
    }
    try {
      Held block = new Held(allocate(bytes, stream), stream, (byte) random.nextInt());
      soak.allocations.incrementAndGet();
      fill(block);
      held.add(block);
    } catch (DeviceOutOfMemoryException full) {
      soak.refusals.incrementAndGet();
      free(takeAny());
    } catch (ClosedException ended) {
      // Another thread has closed the pool just now.
      soak.lateComers.incrementAndGet();
    }
    if (held.size() > MOST_HELD) {
      free(takeAny());
    }
  }

  /** From the default pool, or from a private one through a scope or through itself. */
  @SuppressWarnings("try") // the scope is open, and that is all
  private Allocation allocate(long bytes, SimStream stream) {
    PrivatePool pool = random.nextInt(3) == 0 ? soak.anyPool(random) : null;
    if (pool == null) {
      return soak.allocator.allocate(bytes, stream);
    }
    if (random.nextBoolean()) {
      return pool.getAllocator().allocate(bytes, stream);
    }
    try (PoolScope scope = pool.use()) {
      return soak.allocator.allocate(bytes, stream);
    }
  }

  private void changePools() {
    PrivatePool before =
        soak.exchangePool(
            random,
            random.nextInt(3) == 0
                ? null
                : soak.allocator.createPool(PrivatePoolOptions.DEFAULT.withLimit(Soak.LIMIT / 8)));
    if (before != null) {
      before.close();
    }
  }

  private @Nullable Held takeAny() {
    if (held.isEmpty()) {
      return null;
    }
    int index = random.nextInt(held.size());
    Held last = held.remove(held.size() - 1);
    return index == held.size() ? last : held.set(index, last);
  }

  private void free(@Nullable Held block) {
    if (block != null) {
      look(block, block.stream);
      block.block.close();
    }
  }

  private void passOn(@Nullable Held block) {
    if (block != null) {
      soak.passed.add(block);
    }
  }

  private void useElsewhereAndFree(@Nullable Held block) {
    if (block == null) {
      return;
    }
    for (int i = random.nextInt(2); i >= 0; i--) {
      SimStream user = soak.anyStream(random);
      try (SimEvent filled = soak.device.createEvent()) {
        filled.record(block.stream);
        user.waitFor(filled);
      }
      look(block, user);
      block.block.recordUse(user);
    }
    free(block);
  }

  private void fill(Held block) {
    long at = block.marked();
    block.stream.launch(
        kernel("fill")
            .writes(block.block.getAddress(), block.block.getSize())
            .body(bytes -> bytes.fill(at, block.value, 1))
            .build());
  }

  private void look(Held block, SimStream on) {
    long at = block.marked();
    on.launch(
        kernel("look")
            .reads(block.block.getAddress(), block.block.getSize())
            .body(bytes -> soak.compare(at, block.value, bytes.read(at, 1)[0]))
            .build());
  }

  private SimKernel.Builder kernel(String name) {
    return SimKernel.named(name).taking(random.nextLong(LONGEST_KERNEL));
  }
}
