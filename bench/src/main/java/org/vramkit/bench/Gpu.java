package org.vramkit.bench;

import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.pool.streamordered.StreamOrderedPool;

/**
 * A device and one allocator for all threads of a benchmark.
 *
 * <p>JMH calls {@link #close} as soon as one thread has torn down its state, so it waits until all
 * threads have closed their streams.
 */
@State(Scope.Benchmark)
public class Gpu {
  /** Name of the backend; {@code sim} runs without contents and checker. */
  @Param("sim")
  public String backend;

  /** Name of the allocator, as for {@code vramkit replay --allocator}. */
  @Param("caching")
  public String allocator;

  /** Value of the caching allocator's option {@code virtual-memory}. */
  @Param("auto")
  public String virtualMemory;

  /**
   * Makes {@link #close} wait. The parties are this object and each thread or group of threads with
   * an open stream.
   */
  private final Phaser users = new Phaser(1);

  private Backend opened;
  private Allocator subject;
  private Stream shared;

  /** Opens the device. */
  @Setup(Level.Trial)
  public void open() {
    opened = MeasuredBackend.open(backend);
    subject = create(opened.getDevice(0));
    shared = opened.getDevice(0).createStream();
  }

  private Allocator create(Device device) {
    return switch (allocator) {
      case "caching" ->
          CachingAllocator.builder(device).set("virtual-memory", virtualMemory).build();
      case "native" -> DriverPoolAllocator.builder(device).build();
      case "stream-ordered" -> StreamOrderedPool.builder(device).build();
      case "direct" -> DirectAllocator.builder(device).build();
      default ->
          throw new IllegalArgumentException(
              "unknown allocator '" + allocator + "'; see vramkit replay --help");
    };
  }

  /** Closes everything; fails if a benchmark left something open. */
  @TearDown(Level.Trial)
  public void close() throws InterruptedException, TimeoutException {
    users.arriveAndDeregister();
    users.awaitAdvanceInterruptibly(0, 1, TimeUnit.MINUTES);
    opened.getDevice(0).synchronize();
    subject.close();
    shared.close();
    opened.close();
  }

  Allocator getAllocator() {
    return subject;
  }

  Stream getSharedStream() {
    return shared;
  }

  /** Creates a stream, which the caller closes by {@link #closeStream}. */
  Stream createStream() {
    users.register();
    return opened.getDevice(0).createStream();
  }

  /** Closes a stream whose thread has closed all of its allocations. */
  void closeStream(Stream stream) {
    stream.close();
    users.arriveAndDeregister();
  }
}
