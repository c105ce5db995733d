package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.MIB;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.CheckerOptions;

@DisplayName("42.12 The numbers of messages about scarce memory suffice, and 1 MiB less does not,")
class PressureAdviceTest {
  private static final Duration NOW = Duration.ZERO;
  private static final int EFFORT = Integer.getInteger("vramkit.effort", 1);
  private static final long SEED = Long.getLong("vramkit.seed", 0);
  private static final Pattern SIZE = Pattern.compile("[0-9.]+ (?:[KMG]i)?B");

  private static SimBackend backend(long mebibytes) {
    return SimBackend.builder()
        .device(
            DeviceProfile.builder("small")
                .from(DeviceProfile.SMALL_8GIB)
                .memory(mebibytes * MIB)
                .build())
        .bytes(false)
        .checker(CheckerOptions.OFF)
        .build();
  }

  /** Returns the size after a phrase; 0 if a message has none. */
  private static long sizeAfter(String phrase, @Nullable String message) {
    String told = String.valueOf(message);
    Matcher size = SIZE.matcher(told);
    int at = told.indexOf(phrase);
    return at >= 0 && size.find(at) ? ByteSize.parse(size.group()) : 0;
  }

  // ---- admissions ----

  @Test
  @DisplayName("42.12 of admissions and their grants, in random programs")
  void admissions() {
    int refused = 0;
    for (long seed = SEED; refused < 100 * EFFORT; seed++) {
      Random random = new Random(seed);
      try (SimBackend gpu = backend(64 + random.nextInt(4000));
          CachingAllocator allocator = CachingAllocator.create(gpu.getDevice(0))) {
        if (random.nextBoolean()) {
          allocator.setLimit(random.nextLong(4096 * MIB));
        }
        Admission.Builder builder = Admission.over(allocator);
        if (random.nextBoolean()) {
          builder.limit(1 + random.nextLong(4096 * MIB));
        }
        try (Admission gate = builder.build()) {
          refused += followDemand(gate, "seed " + seed);
          followGrowth(gate, gpu, allocator, random, "seed " + seed);
        }
      }
    }
  }

  private static int followDemand(Admission gate, String name) {
    String message = refusal(() -> gate.acquire(Demand.of("job", 5000 * MIB), NOW).close());
    long most = sizeAfter("at most ", message);
    if (most > 0) {
      gate.acquire(Demand.of("job", most), NOW).close();
    }
    assertFalse(
        refusal(() -> gate.acquire(Demand.of("job", most + MIB), NOW).close()).isEmpty(),
        () -> name + ": " + message);
    return 1;
  }

  private static void followGrowth(
      Admission gate, SimBackend gpu, CachingAllocator allocator, Random random, String name) {
    long most = sizeAfter("at most ", refusal(() -> gate.acquire(Demand.of("", 1L << 50), NOW)));
    if (most < 16 * MIB) {
      return;
    }
    long demanded = 1 + random.nextLong(most / 4);
    long wanted = demanded + random.nextLong(most / 4);
    try (SimStream stream = gpu.getDevice(0).createStream();
        Grant grant = gate.acquire(Demand.of("grows", demanded), NOW);
        Allocation held = grant.getAllocator().allocate(random.nextLong(demanded), stream)) {
      String message = refusal(() -> grant.getAllocator().allocate(wanted, stream).close());
      long more = sizeAfter("grow it by ", message);
      String told = name + ": " + message + " beside " + held.getSize();
      assertTrue(more > 0, told);
      if (more > MIB) {
        grant.grow(more - MIB, NOW);
        assertFalse(
            refusal(() -> grant.getAllocator().allocate(wanted, stream).close()).isEmpty(), told);
        grant.grow(MIB, NOW);
      } else {
        grant.grow(more, NOW);
      }
      grant.getAllocator().allocate(wanted, stream).close();
    }
    assertEquals(0, allocator.getStatistics().requested().current(), name);
  }

  private static String refusal(Runnable request) {
    try {
      request.run();
      return "";
    } catch (DeviceOutOfMemoryException e) {
      return String.valueOf(e.getMessage());
    }
  }

  // ---- spills ----

  @Test
  @DisplayName("42.12 of allocations that spill, in random programs")
  void spills() {
    int refused = 0;
    for (long seed = SEED; refused < 10 * EFFORT; seed++) {
      String advice;
      try (SpillingProgram program = new SpillingProgram(seed)) {
        advice = program.advice;
      }
      if (!advice.isEmpty()) {
        refused++;
        follow(seed, advice);
      }
    }
  }

  private static void follow(long seed, String advice) {
    String told = "seed " + seed + ": " + advice;
    long raise = sizeAfter("raise the limit by ", advice);
    long most = sizeAfter("ask for at most ", advice);
    long free = sizeAfter("or free ", advice);
    if (raise > 0) {
      try (SpillingProgram program = new SpillingProgram(seed)) {
        assertFalse(raise > MIB && program.isServedWithLimit(raise - MIB), told);
        assertTrue(program.isServedWithLimit(Math.min(raise, MIB)), told);
      }
    }
    try (SpillingProgram program = new SpillingProgram(seed)) {
      assertFalse(program.isServed(Math.min(program.wanted, most + MIB)), told);
      assertTrue(most == 0 || program.isServed(most), told);
    }
    if (free > 0) {
      try (SpillingProgram program = new SpillingProgram(seed)) {
        program.free(free);
        assertTrue(program.isServed(program.wanted), told);
      }
    }
  }

  /** Takes memory that may and that must not be spilled, until an allocation is refused. */
  private static final class SpillingProgram implements AutoCloseable {
    private final Random random;
    private final SimBackend gpu = backend(1024);
    private final SimStream stream = gpu.getDevice(0).createStream();

    // In virtual time: how much may be moved must not depend on the machine.
    private final CachingAllocator allocator =
        CachingAllocator.builder(gpu.getDevice(0)).clock(gpu::getTimeNanos).build();
    private final SpillStore store;
    private final List<Allocation> fixed = new ArrayList<>();
    private final List<Spillable> spillables = new ArrayList<>();
    private final List<SpillableLease> leases = new ArrayList<>();

    String advice = "";
    long wanted;

    SpillingProgram(long seed) {
      random = new Random(seed);
      allocator.setLimit(20 * MIB + random.nextLong(200 * MIB));
      store = SpillStore.over(allocator).hostLimit(1 + random.nextLong(60 * MIB)).build();
      for (int i = 0; i < 60 && advice.isEmpty(); i++) {
        try {
          step();
        } catch (AllocatorOutOfMemoryException e) {
          advice = e.getReport().advice();
        }
      }
    }

    private void step() {
      wanted = 1 + random.nextLong(random.nextBoolean() ? MIB : 40 * MIB);
      if (random.nextBoolean()) {
        fixed.add(store.getAllocator().allocate(wanted, stream));
      } else {
        Spillable made = store.create(wanted, random.nextInt(3));
        spillables.add(made);
        SpillableLease lease = made.materialize(stream);
        if (random.nextInt(4) == 0) {
          leases.add(lease);
        } else {
          lease.close();
        }
      }
    }

    boolean isServedWithLimit(long raise) {
      allocator.setLimit(allocator.getLimit() + raise);
      return isServed(wanted);
    }

    boolean isServed(long bytes) {
      return refusal(() -> store.getAllocator().allocate(bytes, stream).close()).isEmpty();
    }

    /** Closes any memory of at least some bytes that is on the device. */
    void free(long bytes) {
      long freed = 0;
      while (freed < bytes && !fixed.isEmpty()) {
        Allocation any = fixed.remove(random.nextInt(fixed.size()));
        freed += any.getSize();
        any.close();
      }
      leases.forEach(SpillableLease::close);
      leases.clear();
      for (Spillable each : spillables) {
        if (freed < bytes && each.isOnDevice()) {
          freed += each.getSize();
          each.close();
        }
      }
      assertTrue(freed > 0, "nothing is live: " + advice);
    }

    @Override
    public void close() {
      leases.forEach(SpillableLease::close);
      spillables.forEach(Spillable::close);
      fixed.forEach(Allocation::close);
      store.close();
      allocator.close();
      stream.close();
      assertEquals(List.of(), gpu.getLeaks());
      gpu.close();
    }
  }

  @Test
  @DisplayName("42.12 and an allocation that waits is refused with the allocator's own numbers")
  void waiting() {
    try (SimBackend gpu = backend(256);
        SimStream stream = gpu.getDevice(0).createStream();
        CachingAllocator allocator = CachingAllocator.create(gpu.getDevice(0));
        WaitingAllocator memory = WaitingAllocator.over(allocator, NOW);
        Allocation held = memory.allocate(200 * MIB, stream)) {
      DeviceOutOfMemoryException late =
          assertThrows(DeviceOutOfMemoryException.class, () -> memory.allocate(100 * MIB, stream));
      long most = sizeAfter("ask for at most ", String.valueOf(late.getCause()));
      memory.allocate(most, stream).close();
      assertEquals(256 * MIB, most + held.getSize());
    }
  }
}
