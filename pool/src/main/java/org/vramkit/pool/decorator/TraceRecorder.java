package org.vramkit.pool.decorator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/**
 * Writes what is allocated and freed as the CSV that {@code vramkit replay} reads, a line each:
 * {@code action,addr,size,stream,time_us}. Actions are those of PyTorch's memory history: {@code
 * alloc}, {@code free_requested} and {@code free_completed} at the close, {@code oom} with address
 * 0 for what failed. Streams are numbered in the order in which they appear, times are microseconds
 * since the first line.
 *
 * <p>A writer that fails ends the recording and not the program: {@link #close} throws what went
 * wrong. The recorder's monitor guards the writer; lines are in the order of the calls.
 */
public final class TraceRecorder extends AllocatorDecorator {
  private static final String HEADER = "action,addr,size,stream,time_us";

  private final Writer writer;
  private final LongSupplier clock;
  private final long begin;
  private final Map<Stream, Integer> streams = new HashMap<>();
  private @Nullable IOException failure;

  TraceRecorder(Allocator upstream, Writer writer, LongSupplier nanos) {
    super(upstream);
    this.writer = writer;
    this.clock = nanos;
    this.begin = nanos.getAsLong();
    write(HEADER);
  }

  /**
   * Records to a writer, which is closed with the recorder.
   *
   * @param writer where the lines go; buffer it
   */
  public static TraceRecorder over(Allocator upstream, Writer writer) {
    return new TraceRecorder(upstream, writer, System::nanoTime);
  }

  @Override
  Allocation take(long bytes, Stream stream) {
    try {
      return super.take(bytes, stream);
    } catch (DeviceOutOfMemoryException e) {
      record("oom", 0, bytes, stream);
      throw e;
    }
  }

  @Override
  void allocated(DecoratedAllocation allocation) {
    record("alloc", allocation.address, allocation.size, allocation.held.getStream());
  }

  @Override
  void freed(DecoratedAllocation allocation) {
    Stream stream = allocation.held.getStream();
    record("free_requested", allocation.address, allocation.size, stream);
    record("free_completed", allocation.address, allocation.size, stream);
  }

  private synchronized void record(String action, long address, long size, Stream stream) {
    int number = streams.computeIfAbsent(stream, unseen -> streams.size());
    long micros = (clock.getAsLong() - begin) / 1000;
    write(action + "," + address + "," + size + "," + number + "," + micros);
  }

  private synchronized void write(String line) {
    if (failure == null) {
      try {
        writer.write(line);
        writer.write('\n');
      } catch (IOException e) {
        failure = e;
      }
    }
  }

  @Override
  synchronized void closed() {
    try {
      writer.close();
    } catch (IOException e) {
      if (failure == null) {
        failure = e;
      } else {
        failure.addSuppressed(e);
      }
    }
    if (failure != null) {
      throw new UncheckedIOException("the trace is not complete: " + failure, failure);
    }
  }
}
