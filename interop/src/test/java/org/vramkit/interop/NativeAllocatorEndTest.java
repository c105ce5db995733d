package org.vramkit.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.SimDevice;
import org.vramkit.testkit.sim.SimulatedGpu;

@DisplayName("Native code and the allocator agree on the live blocks, whatever happens")
@SimulatedGpu
class NativeAllocatorEndTest {
  private final SimDevice device;
  private final CachingAllocator allocator;
  private final Consumer library;

  NativeAllocatorEndTest(SimDevice device) throws IOException, InterruptedException {
    this.device = device;
    allocator = CachingAllocator.create(device);
    library = Consumer.get();
  }

  @AfterEach
  void nothingLeft() {
    device.synchronize();
    assertEquals(0, allocator.getStatistics().getLiveBytes());
    allocator.close();
  }

  private long allocate(NativeAllocator natives) {
    try {
      return library.allocateOn(natives.getAllocate(), 4096, 0, 0);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private void free(NativeAllocator natives, long memory) {
    try {
      library.freeOn(natives.getFree(), memory, 4096, 0, 0);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** Runs an action after memory was allocated, before the allocator adds it. */
  private static final class SlowBlocks extends LiveBlocks {
    final CountDownLatch taken = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);

    @Override
    boolean add(long address, Allocation block) {
      taken.countDown();
      try {
        assertTrue(goOn.await(1, TimeUnit.HOURS));
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      return super.add(address, block);
    }
  }

  @Test
  @DisplayName("23.6 an allocation that is under way at the close gets null, and leaves nothing")
  void closedMeanwhile() throws InterruptedException {
    SlowBlocks blocks = new SlowBlocks();
    NativeAllocator natives =
        NativeAllocator.of(allocator, NativeSignature.SIZE_DEVICE_STREAM, blocks);
    CompletableFuture<Long> got = CompletableFuture.supplyAsync(() -> allocate(natives));
    assertTrue(blocks.taken.await(1, TimeUnit.HOURS));
    natives.close();
    blocks.goOn.countDown();
    assertEquals(0, got.join());
    assertEquals(List.of(), natives.getLive());
    assertInstanceOf(ClosedException.class, natives.getLastFailure().orElseThrow());
  }

  @Test
  @DisplayName("23.6 a refused close changes nothing: memory is given and taken back as before")
  void refused() {
    try (NativeAllocator natives =
        NativeAllocator.of(allocator, NativeSignature.SIZE_DEVICE_STREAM)) {
      long first = allocate(natives);
      assertThrows(IllegalStateException.class, natives::close);
      long second = allocate(natives);
      assertNotEquals(0, second);
      assertFalse(natives.getStream().isClosed());
      free(natives, first);
      assertThrows(IllegalStateException.class, natives::close);
      free(natives, second);
      assertTrue(natives.getLastFailure().isEmpty());
    }
  }

  @RepeatedTest(50)
  @DisplayName("23.6 closes beside allocations are refused, or end everything")
  void closedBesideOthers() {
    NativeAllocator natives = NativeAllocator.of(allocator, NativeSignature.SIZE_DEVICE_STREAM);
    List<CompletableFuture<Boolean>> users = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      users.add(CompletableFuture.supplyAsync(() -> useUntilClosed(natives)));
    }
    while (!tryClose(natives)) {
      Thread.onSpinWait();
    }
    assertEquals(List.of(), natives.getLive(), "after the close");
    assertEquals(0, allocate(natives));
    users.forEach(each -> assertTrue(each.join()));
    assertEquals(List.of(), natives.getLive(), "after all calls");
  }

  @RepeatedTest(50)
  @DisplayName("23.6 its own stream may end beside the last frees on it")
  void ownStream() {
    NativeAllocator natives = NativeAllocator.of(allocator, NativeSignature.SIZE);
    List<CompletableFuture<Double>> users = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      users.add(CompletableFuture.supplyAsync(() -> pairsUntilClosed(natives)));
    }
    while (!tryClose(natives)) {
      Thread.onSpinWait();
    }
    users.forEach(each -> assertEquals(-1, each.join(), "refused at last"));
    assertTrue(natives.getStream().isClosed());
    assertEquals(List.of(), natives.getLive());
    assertInstanceOf(ClosedException.class, natives.getLastFailure().orElseThrow());
  }

  private double pairsUntilClosed(NativeAllocator natives) {
    try {
      return library.pairs(natives.getAllocate(), natives.getFree(), 4096, Long.MAX_VALUE);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private static boolean tryClose(NativeAllocator natives) {
    try {
      natives.close();
      return true;
    } catch (IllegalStateException refused) {
      assertTrue(refused.toString().contains("the library holds"), refused.toString());
      return false;
    }
  }

  /** Allocates until an allocation fails; returns whether the close was the reason. */
  private boolean useUntilClosed(NativeAllocator natives) {
    long memory = allocate(natives);
    while (memory != 0) {
      free(natives, memory);
      memory = allocate(natives);
    }
    return natives.getLastFailure().orElseThrow() instanceof ClosedException;
  }

  @Test
  @DisplayName(
      "23.6 a block that the JVM has no memory to note goes back, and native code gets null")
  void notNoted() {
    AtomicReference<@Nullable OutOfMemoryError> planted =
        new AtomicReference<>(new OutOfMemoryError("planted"));
    LiveBlocks blocks =
        new LiveBlocks() {
          @Override
          boolean add(long address, Allocation block) {
            OutOfMemoryError error = planted.getAndSet(null);
            if (error != null) {
              throw error;
            }
            return super.add(address, block);
          }
        };
    try (NativeAllocator natives =
        NativeAllocator.of(allocator, NativeSignature.SIZE_DEVICE_STREAM, blocks)) {
      assertEquals(0, allocate(natives));
      assertInstanceOf(OutOfMemoryError.class, natives.getLastFailure().orElseThrow());
      assertEquals(0, allocator.getStatistics().getLiveBytes());
      free(natives, allocate(natives));
      assertEquals(List.of(), natives.getLive());
    }
  }
}
