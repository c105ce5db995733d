package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.decorator.LimitingAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@Tag("own-schedules")
@DisplayName("42.12 The advice of pools with simple rules")
class PoolAdviceTest {
  private static final long MIB = ByteSize.MIB;
  private static final int CASES = 100 * Integer.getInteger("vramkit.effort", 1);
  private static final long SEED = Long.getLong("vramkit.seed", 0);

  /** How a pool is made, and what it gives. */
  private enum Kind {
    LIMITING {
      @Override
      Pool open(SimDevice device, SimStream stream, long limit) {
        CachingAllocator beneath = CachingAllocator.create(device);
        Allocator allocator = LimitingAllocator.over(beneath, limit);
        return new Pool(bytes -> allocator.allocate(bytes, stream)::close, beneath::close);
      }
    },
    /** A limit over one that is exceeded sooner, because others use it too. */
    NESTED {
      @Override
      Pool open(SimDevice device, SimStream stream, long limit) {
        CachingAllocator beneath = CachingAllocator.create(device);
        Allocator below = LimitingAllocator.over(beneath, limit);
        Allocation others = below.allocate(2 * MIB, stream);
        Allocator allocator = LimitingAllocator.over(below, limit);
        return new Pool(
            bytes -> allocator.allocate(bytes, stream)::close,
            () -> {
              others.close();
              beneath.close();
            });
      }
    },
    PINNED {
      @Override
      Pool open(SimDevice device, SimStream stream, long limit) {
        PinnedPool pool = PinnedPool.builder(device).byteLimit(limit).build();
        return new Pool(bytes -> pool.acquire(bytes)::close, pool::close);
      }
    };

    /** A pool that gives so much at most. */
    abstract Pool open(SimDevice device, SimStream stream, long limit);
  }

  /** A pool, as far as advice goes. */
  private record Pool(LongFunction<Runnable> take, Runnable close) {}

  /** What is held, with its size. */
  private record Held(Runnable close, long bytes) {}

  @ParameterizedTest
  @EnumSource
  @DisplayName("each alternative by itself makes the request succeed, and 1 MiB less does not")
  void followed(Kind kind) {
    for (long seed = SEED; seed < SEED + CASES; seed++) {
      for (String way : List.of("free ", "ask for at most ", "set a limit of at least ")) {
        follow(kind, seed, way);
      }
    }
  }

  private static void follow(Kind kind, long seed, String way) {
    Random random = new Random(seed);
    // Page-locked memory of the simulator is the JVM's.
    int part = kind == Kind.PINNED ? 8 : 1;
    long limit = (30 * MIB + random.nextInt(20_000_000)) / part;
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      List<Held> held = new ArrayList<>();
      try (SimStream stream = device.createStream()) {
        Pool pool = kind.open(device, stream, limit);
        long wanted = 0;
        String advice = "";
        while (advice.isEmpty()) {
          wanted = 1L + random.nextInt(20_000_000 / part);
          try {
            held.add(new Held(pool.take.apply(wanted), wanted));
          } catch (DeviceOutOfMemoryException e) {
            advice = e.getMessage();
          }
        }
        Matcher size = Pattern.compile(way + "([0-9.]+ (?:[KMG]i)?B)").matcher(advice);
        if (size.find()) {
          long bytes = ByteSize.parse(size.group(1));
          if (way.startsWith("free")) {
            for (long freed = 0; freed < bytes && !held.isEmpty(); ) {
              // The others free whole pages.
              if (kind == Kind.LIMITING && freed <= bytes - MIB) {
                assertRefused(pool, wanted, advice);
              }
              Held next = held.remove(random.nextInt(held.size()));
              next.close.run();
              freed += next.bytes;
            }
          } else if (way.startsWith("ask")) {
            assertRefused(pool, Math.min(wanted, bytes + MIB), advice);
            wanted = bytes;
          } else {
            held.forEach(each -> each.close.run());
            pool.close.run();
            assertLimitTooLow(kind, device, stream, bytes - MIB, held, wanted);
            pool = kind.open(device, stream, bytes);
            held = takeAgain(pool, held);
          }
          pool.take.apply(wanted).run();
        }
        held.forEach(each -> each.close.run());
        pool.close.run();
      } catch (DeviceOutOfMemoryException e) {
        throw new AssertionError(kind + ", seed " + seed + ", " + way + ": " + e, e);
      }
      assertEquals(List.of(), backend.getLeaks());
    }
  }

  private static List<Held> takeAgain(Pool pool, List<Held> held) {
    List<Held> again = new ArrayList<>();
    held.forEach(each -> again.add(new Held(pool.take.apply(each.bytes), each.bytes)));
    return again;
  }

  private static void assertLimitTooLow(
      Kind kind, SimDevice device, SimStream stream, long limit, List<Held> held, long wanted) {
    Pool pool = kind.open(device, stream, limit);
    List<Held> again = new ArrayList<>();
    assertThrows(
        DeviceOutOfMemoryException.class,
        () -> {
          held.forEach(each -> again.add(new Held(pool.take.apply(each.bytes), each.bytes)));
          pool.take.apply(wanted);
        });
    again.forEach(each -> each.close.run());
    pool.close.run();
  }

  private static void assertRefused(Pool pool, long bytes, String advice) {
    assertThrows(DeviceOutOfMemoryException.class, () -> pool.take.apply(bytes), advice);
  }

  @Test
  @DisplayName("the advice frees nothing if nothing is held")
  void nothingHeld() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        SimStream stream = backend.getDevice(0).createStream();
        CachingAllocator beneath = CachingAllocator.create(backend.getDevice(0));
        Allocator allocator = LimitingAllocator.over(beneath, 16 * MIB)) {
      String told =
          assertThrows(DeviceOutOfMemoryException.class, () -> allocator.allocate(20 * MIB, stream))
              .getMessage();
      assertEquals(
          "out of memory by limit: asked for 20.00 MiB, 0 B of 16.00 MiB are held; set a limit of"
              + " at least 20.00 MiB, or ask for at most 16.00 MiB",
          told);
    }
  }
}
