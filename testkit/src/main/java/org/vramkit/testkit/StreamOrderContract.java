package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.units.ByteSize;

/** Tests the order between streams, the host and threads. */
interface StreamOrderContract extends KitContext {

  /** A size whose fill takes so long that later work can run early only if nothing orders it. */
  long LONG_FILL = 64 * ByteSize.MIB;

  @Test
  @DisplayName("a wait orders a stream after the work that an event recorded on another")
  default void eventOrdersStreams() {
    withMemory(
        2 * LONG_FILL,
        (producer, address) -> {
          try (Stream consumer = getDevice().createStream();
              Event written = getDevice().createEvent()) {
            for (byte round = 1; round <= 8; round++) {
              producer.fill(address, round, LONG_FILL);
              written.record(producer);
              consumer.waitFor(written);
              consumer.copy(address + LONG_FILL, address, LONG_FILL);
              DeviceBytes.assertFilled(
                  consumer, address + LONG_FILL, LONG_FILL, round, "round " + round);
            }
          }
        });
  }

  @Test
  @DisplayName("a wait refers to the earlier record if the event is recorded again or closed")
  default void waitKeepsItsMark() {
    withMemory(
        2 * LONG_FILL,
        (producer, address) -> {
          try (Stream consumer = getDevice().createStream();
              Stream other = getDevice().createStream()) {
            Event event = getDevice().createEvent();
            producer.fill(address, (byte) 4, LONG_FILL);
            event.record(producer);
            consumer.waitFor(event);
            event.record(other);
            event.close();
            consumer.copy(address + LONG_FILL, address, LONG_FILL);
            DeviceBytes.assertFilled(
                consumer, address + LONG_FILL, LONG_FILL, (byte) 4, "after re-record and close");
          }
        });
  }

  @Test
  @DisplayName("the default stream orders blocking streams around it")
  default void defaultStreamOrdersBlockingStreams() {
    withMemory(
        2 * LONG_FILL,
        address -> {
          try (Stream first = getDevice().createStream(StreamKind.BLOCKING);
              Stream second = getDevice().createStream(StreamKind.BLOCKING)) {
            first.fill(address, (byte) 2, LONG_FILL);
            getDevice().getDefaultStream().copy(address + LONG_FILL, address, LONG_FILL);
            second.fill(address, (byte) 3, LONG_FILL);
            DeviceBytes.assertFilled(
                second, address + LONG_FILL, LONG_FILL, (byte) 2, "copied between the fills");
          }
        });
  }

  @Test
  @DisplayName("a stream that was synchronised is idle, also through a completion stage")
  default void synchronise() throws InterruptedException {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      withMemory(
          LONG_FILL,
          (stream, address) -> {
            stream.fill(address, (byte) 1, LONG_FILL);
            stream.synchronize();
            assertTrue(stream.isIdle());
            stream.fill(address, (byte) 2, LONG_FILL);
            stream.synchronizeAsync(executor).toCompletableFuture().join();
            assertTrue(stream.isIdle());
          });
    } finally {
      executor.shutdown();
      assertTrue(executor.awaitTermination(1, TimeUnit.HOURS));
    }
  }

  @Test
  @DisplayName("threads work concurrently on their own streams, which another thread created")
  default void threadsShareADevice() throws InterruptedException, ExecutionException {
    int threads = 4;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        Stream stream = getDevice().createStream();
        byte id = (byte) (thread + 1);
        running.add(
            executor.submit(
                () -> {
                  try (stream) {
                    for (int round = 0; round < 20; round++) {
                      fillAndCheck(stream, (byte) (16 * id + round % 16));
                    }
                  }
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      executor.shutdown();
    }
  }

  private void fillAndCheck(Stream stream, byte value) {
    long address = getDevice().getMemory().allocate(100_000);
    try {
      stream.fill(address, value, 100_000);
      DeviceBytes.assertFilled(stream, address, 100_000, value, "own memory");
    } finally {
      stream.synchronize();
      getDevice().getMemory().free(address);
    }
  }
}
