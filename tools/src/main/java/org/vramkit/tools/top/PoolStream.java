package org.vramkit.tools.top;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.management.jfr.RemoteRecordingStream;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.replay.UsageException;

/**
 * A stream of frames that show a JVM's allocators, fed by its flight recorder. The recording in
 * that JVM ends when this object is closed or this process shuts down.
 */
public final class PoolStream implements AutoCloseable {
  private static final String ENDED = "";

  private final RemoteRecordingStream stream;
  private final BlockingQueue<String> frames = new LinkedBlockingQueue<>();
  private final Pools pools;
  private final Thread atExit = new Thread(this::stop, "vramkit-top-exit");
  private volatile boolean stopped;
  private final Function<Pools, String> look;
  private boolean changed;

  private PoolStream(
      RemoteRecordingStream stream, Duration interval, Function<Pools, String> look) {
    this.stream = stream;
    this.look = look;
    this.pools = new Pools(interval.multipliedBy(3).plusSeconds(1));
  }

  /**
   * Starts a recording in the connected JVM.
   *
   * @param interval time between frames
   * @param json whether a frame is one line of JSON instead of tables
   * @throws UsageException if that JVM lacks the flight recorder's modules
   */
  public static PoolStream open(JvmConnection connection, Duration interval, boolean json) {
    RemoteRecordingStream stream;
    try {
      stream = new RemoteRecordingStream(connection.server());
    } catch (IOException | RuntimeException e) {
      throw new UsageException(
          connection
              + " streams no events: "
              + e.getMessage()
              + "; its JVM needs the modules jdk.jfr and jdk.management.jfr");
    }
    PoolStream pools = new PoolStream(stream, interval, json ? Pools::json : Pools::text);
    pools.start(interval);
    return pools;
  }

  private void start(Duration interval) {
    for (PartKind kind : PartKind.values()) {
      on(kind.event, interval, event -> pools.addPart(kind, Figures.of(event, "part")));
    }
    on(Pools.TAG_EVENT, interval, event -> pools.addTag(Figures.of(event, "allocator")));
    on(Pools.STREAM_EVENT, interval, event -> pools.addStream(Figures.of(event, "allocator")));
    on(
        Pools.POOL_EVENT,
        interval,
        event -> {
          pools.addAllocator(Figures.of(event, "allocator"));
          changed = true;
        });
    stream.setMaxAge(Duration.ofMinutes(1));
    stream.onFlush(this::frame);
    stream.onClose(
        () -> {
          // If this object closes the stream, no frame follows.
          if (!stopped) {
            frames.add(ENDED);
          }
        });
    Runtime.getRuntime().addShutdownHook(atExit);
    stream.startAsync();
  }

  private void on(String event, Duration interval, Consumer<RecordedEvent> action) {
    stream.enable(event).withPeriod(interval);
    stream.onEvent(event, action);
  }

  private void frame() {
    if (changed) {
      changed = false;
      frames.add(look.apply(pools));
    }
  }

  /**
   * Waits for the next frame.
   *
   * @return the frame; null if none arrived within {@code most} or the other JVM has ended
   */
  public @Nullable String next(Duration most) throws InterruptedException {
    String frame = frames.poll(most.toMillis(), TimeUnit.MILLISECONDS);
    return ENDED.equals(frame) ? null : frame;
  }

  private void stop() {
    stopped = true;
    ((EventStream) stream).close();
  }

  @Override
  public void close() {
    stop();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The process is ending, and the hook has run or will.
    }
  }
}
