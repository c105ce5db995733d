package org.vramkit.pool.decorator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.support.Streams;
import org.vramkit.pool.support.UserError;

/**
 * Records allocations and frees as the CSV that {@code vramkit replay} reads, one line each: {@code
 * action,addr,size,stream,time_us}. Actions are those of PyTorch's memory history: {@code alloc},
 * {@code free_requested} and {@code free_completed} at the close, {@code oom} with address 0 for a
 * failure. Streams are numbered in the order in which they appear. Times are microseconds since the
 * first line.
 *
 * <p>After the first exception of the writer nothing more is recorded, and {@link #close} throws
 * it. Thread-safe: lines are written under this object's monitor, in the order of the calls.
 */
public final class TraceRecorder extends AllocatorDecorator {
  private static final String HEADER = "action,addr,size,stream,time_us";

  private final Writer writer;
  private final LongSupplier clock;
  private final long begin;
  private final Map<Stream, Numbered> streams = new HashMap<>();
  private final Map<DecoratedAllocation, Integer> live = new HashMap<>();
  private int nextNumber;
  private @Nullable IOException failure;
  private boolean ended;

  private record Numbered(Stream stream, int number) {}

  TraceRecorder(Allocator upstream, Writer writer, LongSupplier nanos) {
    super(upstream);
    this.writer = Objects.requireNonNull(writer, "writer");
    this.clock = nanos;
    this.begin = nanos.getAsLong();
    write(HEADER);
  }

  /**
   * Records to a writer, which the recorder closes.
   *
   * @param writer the writer of the lines, which should be buffered
   */
  public static TraceRecorder over(Allocator upstream, Writer writer) {
    return new TraceRecorder(upstream, writer, System::nanoTime);
  }

  @Override
  Allocation doAllocate(long bytes, long alignment, Stream stream) {
    try {
      return super.doAllocate(bytes, alignment, stream);
    } catch (DeviceOutOfMemoryException e) {
      failed(bytes, stream);
      throw e;
    }
  }

  private synchronized void failed(long bytes, Stream stream) {
    record("oom", 0, bytes, numberOf(stream));
  }

  @Override
  synchronized void allocated(DecoratedAllocation allocation) {
    int stream = numberOf(UserError.callUser(allocation::getStream));
    record("alloc", addressOf(allocation), allocation.getSize(), stream);
    live.put(allocation, stream);
  }

  @Override
  synchronized void freeing(DecoratedAllocation allocation) {
    Integer stream = live.remove(allocation);
    if (stream != null) {
      long address = addressOf(allocation);
      record("free_requested", address, allocation.getSize(), stream);
      record("free_completed", address, allocation.getSize(), stream);
    }
  }

  private static long addressOf(DecoratedAllocation allocation) {
    return UserError.callUser(allocation::getAddress);
  }

  /**
   * Returns the number of a stream. Equal open streams have one number; a new stream that reuses
   * the handle of a closed stream has another.
   */
  private int numberOf(Stream stream) {
    Numbered known = streams.get(stream);
    if (known == null || !Streams.areSame(known.stream(), stream)) {
      known = new Numbered(stream, nextNumber++);
      streams.put(stream, known);
    }
    return known.number();
  }

  private void record(String action, long address, long size, int stream) {
    long micros = (clock.getAsLong() - begin) / 1000;
    String line = action + "," + address + "," + size + "," + stream + "," + micros;
    UserError.runUser(() -> write(line));
  }

  private synchronized void write(String line) {
    if (failure == null) {
      try {
        writer.write(line);
        writer.write('\n');
      } catch (IOException | RuntimeException e) {
        failure = asIo(e);
      }
    }
  }

  private static IOException asIo(Exception e) {
    return e instanceof IOException io ? io : new IOException(e.toString(), e);
  }

  @Override
  protected synchronized void closeMemory() {
    if (ended) {
      return;
    }
    ended = true;
    UserError.runUser(this::closeWriter);
    if (failure != null) {
      throw new UncheckedIOException("the trace is not complete: " + failure, failure);
    }
  }

  private void closeWriter() {
    try {
      writer.close();
    } catch (IOException | RuntimeException e) {
      if (failure == null) {
        failure = asIo(e);
      } else {
        Batch.suppress(failure, e);
      }
    }
  }
}
