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
 * <p>JMH closes it as soon as one thread has torn down its own state, so it waits itself until all
 * that have a stream of it have given that back.
 */
@State(Scope.Benchmark)
public class Gpu {
  /** Which backend: {@code sim} without bytes and checker, or one that is on the class path. */
  @Param("sim")
  public String backend;

  /** Which allocator, by the names of {@code vramkit replay --allocator}. */
  @Param("caching")
  public String allocator;

  /** Pages of virtual memory or segments, by the values of the option {@code virtual-memory}. */
  @Param("auto")
  public String virtualMemory;

  /** This, and each thread or group of threads that has a stream. */
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
      default -> throw new IllegalArgumentException("no allocator '" + allocator + "'");
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

  /** A stream to give back by {@link #closeStream}. */
  Stream createStream() {
    users.register();
    return opened.getDevice(0).createStream();
  }

  /** Says that nothing is live any more of what the stream's thread allocated. */
  void closeStream(Stream stream) {
    stream.close();
    users.arriveAndDeregister();
  }
}
