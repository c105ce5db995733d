package org.vramkit.examples;

import java.util.List;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PoolScope;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.PrivatePoolOptions;

/**
 * Runs a step with a private pool: code that only knows the allocator gets its scratch memory from
 * the pool, which returns the memory to the device after the step.
 */
public final class StepInPrivatePool {
  private static final long SCRATCH = 16 * ByteSize.MIB;
  private static final PrivatePoolOptions AT_MOST_64_MIB =
      PrivatePoolOptions.DEFAULT.withLimit(64 * ByteSize.MIB);

  private StepInPrivatePool() {}

  /** Runs on the backend of the class path. */
  public static void main(String[] arguments) {
    try (Backend backend = Backends.open()) {
      System.out.println(run(backend));
    }
  }

  static String run(Backend backend) {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = backend.getDevice(0).createStream();
        Allocation weights = allocator.allocate(ByteSize.MIB, stream)) {
      stream.fill(weights.getAddress(), (byte) 1, weights.getSize());
      long before = allocator.getStatistics().reserved().current();
      boolean emptied = step(allocator, stream);
      long kept = allocator.getStatistics().reserved().current() - before;
      return "step closed all of its memory: " + emptied + ", bytes kept for it: " + kept;
    }
  }

  @SuppressWarnings("try") // The scope is held, not used.
  private static boolean step(CachingAllocator allocator, Stream stream) {
    try (PrivatePool pool = allocator.createPool(AT_MOST_64_MIB)) {
      try (PoolScope inStep = pool.use()) {
        compute(allocator, stream);
      }
      return pool.holdsExactly(List.of());
    }
  }

  /** Only knows the allocator. */
  private static void compute(CachingAllocator allocator, Stream stream) {
    try (Allocation scratch = allocator.allocate(SCRATCH, stream)) {
      stream.fill(scratch.getAddress(), (byte) 0, scratch.getSize());
    }
  }
}
