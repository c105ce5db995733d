package org.vramkit.pool.caching.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.EventPool;
import org.vramkit.pool.support.StreamProgress;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

@DisplayName("42.21 Captures beside threads that close their streams")
class CaptureRaceTest {
  private static final int CAPTURES = 400;

  @OnBothMemories
  @DisplayName("42.21 are not invalidated by a third one's trims, which get no error of a stream")
  void capturesBesideCloses(VirtualMemoryUse use) {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      AtomicInteger left = new AtomicInteger(CAPTURES);
      try (CachingAllocator allocator =
          CachingAllocator.builder(device).virtualMemory(use).build()) {
        List<Runnable> each =
            List.of(
                () -> capture(device, allocator, left),
                () -> closeStreams(device, allocator, left),
                () -> closeStreams(device, allocator, left),
                () -> trim(device, allocator, left));
        List<CompletableFuture<Void>> all =
            each.stream()
                .map(part -> CompletableFuture.runAsync(orStop(part, left), threads))
                .toList();
        for (CompletableFuture<Void> part : all) {
          try {
            part.join();
          } catch (CompletionException e) {
            throw new AssertionError("on " + use + ": " + e.getCause(), e.getCause());
          }
        }
      }
      assertEquals(List.of(), backend.getHazards());
      assertEquals(List.of(), backend.getLeaks());
    } finally {
      threads.shutdown();
    }
  }

  /** The others stop when one part fails. */
  private static Runnable orStop(Runnable part, AtomicInteger left) {
    return () -> {
      try {
        part.run();
      } catch (RuntimeException | Error e) {
        left.set(0);
        throw e;
      }
    };
  }

  @Test
  @DisplayName("42.21 a stream that is closed just as it is asked for its capture is a closed one")
  void closedInTheQuestion() {
    Device device = mock(Device.class);
    Graphs graphs = mock(Graphs.class);
    Stream stream = mock(Stream.class);
    when(device.supports(Capability.GRAPHS)).thenReturn(true);
    when(device.getGraphs()).thenReturn(graphs);
    when(stream.getDevice()).thenReturn(device);
    when(graphs.isAnyCaptured()).thenReturn(true);
    when(graphs.isCapturing(stream))
        .thenAnswer(
            call -> {
              when(stream.isClosed()).thenReturn(true);
              throw new ClosedException("stream", "it takes no work", "open another one");
            });
    CapturedStreams captures = new CapturedStreams(device);
    assertTrue(captures.isUnqueryable(stream));
    when(stream.isClosed()).thenReturn(false);
    assertFalse(captures.has(stream));
  }

  @Test
  @DisplayName("42.21 a stream that is closed just before a wait for it leaves captures valid")
  @SuppressWarnings("try") // another thread closes the stream early
  void closedBeforeTheWait() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      CapturedStreams captures = new CapturedStreams(device);
      try (SimStream captured = device.createStream();
          SimStream closed = device.createStream()) {
        EventPool events = new EventPool(device);
        boolean[] begun = {false};
        Predicate<Stream> unasked =
            stream -> {
              if (begun[0]) {
                return captures.isUnqueryable(stream);
              }
              // The question is answered; then another thread captures, and a third one closes.
              begun[0] = true;
              device.getGraphs().beginCapture(captured);
              closed.close();
              return false;
            };
        StreamProgress progress =
            new StreamProgress(closed, events, backend::getTimeNanos, unasked);
        long freed = progress.epoch();
        progress.awaitIfOpen();
        progress.advanceIfClosed();
        assertTrue(progress.settled() < freed, "settled without a wait");
        device.getGraphs().endCapture(captured).close();
        progress.advanceIfClosed();
        assertTrue(progress.settled() >= freed, "not settled once the capture had ended");
        progress.close();
        events.close();
      }
      assertEquals(List.of(), backend.getHazards());
      assertEquals(List.of(), backend.getLeaks());
    }
  }

  @Test
  @DisplayName("42.21 a stream that is closed just as it is asked leaves captures valid")
  void closedInTheQuestionForProgress() {
    closedBesideACapture(
        (closed, events, unasked) -> {
          StreamProgress progress = new StreamProgress(closed, events, System::nanoTime, unasked);
          long freed = progress.epoch();
          progress.advance();
          assertTrue(progress.settled() < freed, "settled without a wait");
          progress.close();
        });
  }

  @Test
  @DisplayName(
      "42.21 a stream that is closed just before a pool waits for it leaves captures valid")
  void closedBeforeTheWaitOfAPool() {
    closedBesideACapture(
        (closed, events, unasked) -> {
          StreamProgress progress = new StreamProgress(closed, events, System::nanoTime, unasked);
          long freed = progress.epoch();
          progress.awaitEpoch(freed, /* evenIfClosed= */ true);
          assertTrue(progress.settled() < freed, "settled without a wait");
          progress.close();
        });
  }

  @Test
  @DisplayName("42.21 a stream that is closed just before it is stolen from leaves captures valid")
  void closedBeforeTheTheft() {
    closedBesideACapture(
        (closed, events, unasked) -> {
          try (Stream thief = closed.getDevice().createStream()) {
            assertFalse(unasked.test(closed));
            assertFalse(events.makeWait(thief, closed), "a closed stream takes no mark");
          }
        });
  }

  /** Something that asks whether a stream may be asked, which is so until just after the answer. */
  private interface Asking {
    void ask(Stream closed, EventPool events, Predicate<Stream> unasked);
  }

  @SuppressWarnings("try") // another thread closes the stream early
  private static void closedBesideACapture(Asking asking) {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      CapturedStreams captures = new CapturedStreams(device);
      try (SimStream captured = device.createStream();
          SimStream closed = device.createStream()) {
        EventPool events = new EventPool(device);
        boolean[] begun = {false};
        asking.ask(
            closed,
            events,
            stream -> {
              boolean answer = captures.isUnqueryable(stream);
              if (!begun[0]) {
                // The question is answered; then another thread captures, and a third one closes.
                begun[0] = true;
                device.getGraphs().beginCapture(captured);
                closed.close();
              }
              return answer;
            });
        device.getGraphs().endCapture(captured).close();
        events.close();
      }
      assertEquals(List.of(), backend.getHazards());
      assertEquals(List.of(), backend.getLeaks());
    }
  }

  @OnBothMemories
  @DisplayName("42.21 a stream that is closed beside them takes no settled memory out of use")
  void settledMemoryStays(VirtualMemoryUse use) {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (Sandbox box = Sandbox.uncached(use, b -> b.limit(20 * MIB))) {
      SimStream captured = box.newStream();
      SimStream closed = box.newStream();
      Allocation settled = box.allocate(8 * MIB);
      Allocation neighbour = box.allocate(8 * MIB, closed);
      settled.close();
      box.allocator.trim(20 * MIB);
      CompletableFuture.runAsync(() -> box.device.getGraphs().beginCapture(captured), other).join();
      closed.close();
      neighbour.close();
      box.allocate(8 * MIB).close();
      CompletableFuture.runAsync(() -> box.device.getGraphs().endCapture(captured).close(), other)
          .join();
      box.allocate(16 * MIB).close();
    } finally {
      other.shutdown();
    }
  }

  private static void capture(SimDevice device, CachingAllocator allocator, AtomicInteger left) {
    try (SimStream stream = device.createStream()) {
      while (left.getAndDecrement() > 0) {
        try (PrivatePool pool = allocator.createPool();
            PoolCapture capture = pool.capture(stream)) {
          for (int i = 0; i < 4; i++) {
            try (Allocation scratch = allocator.allocate(2 * MIB, stream)) {
              stream.launch(
                  SimKernel.named("fill").writes(scratch.getAddress(), scratch.getSize()).build());
            }
          }
          try (Graph graph = capture.end()) {
            graph.launch(stream);
          }
        }
      }
    }
  }

  private static void closeStreams(
      SimDevice device, CachingAllocator allocator, AtomicInteger left) {
    Random random = new Random(21);
    while (left.get() > 0) {
      List<Allocation> held = new ArrayList<>();
      try (SimStream stream = device.createStream();
          SimStream user = device.createStream()) {
        for (int i = 0; i < 6; i++) {
          Allocation made = allocator.allocate(1 + random.nextInt((int) (6 * MIB)), stream);
          held.add(made);
          stream.launch(SimKernel.named("write").writes(made.getAddress(), made.getSize()).build());
          if (random.nextBoolean()) {
            made.recordUse(user);
          }
        }
        if (random.nextBoolean()) {
          held.forEach(Allocation::close);
        }
      }
      held.forEach(Allocation::close);
    }
  }

  private static void trim(SimDevice device, CachingAllocator allocator, AtomicInteger left) {
    Random random = new Random(12);
    try (SimStream stream = device.createStream()) {
      while (left.get() > 0) {
        if (random.nextBoolean()) {
          allocator.trim(0);
        } else {
          allocator.allocate(1 + random.nextInt((int) (40 * MIB)), stream).close();
        }
      }
    }
  }
}
