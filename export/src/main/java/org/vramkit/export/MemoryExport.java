package org.vramkit.export;

import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.vramkit.api.Experimental;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.AllocatorRecording;
import org.vramkit.pool.caching.AllocatorSnapshot;
import org.vramkit.pool.caching.CachingAllocator;

/**
 * Memory of allocators at one moment and the events before it, to be written for other tools.
 *
 * <p>Without a history, which the option {@link
 * org.vramkit.pool.caching.CachingAllocatorBuilder#history} asks for, there is the snapshot alone.
 * Everything is written as a stream, however long the history. The snapshot is the one that the
 * events lead to, also where threads allocate meanwhile. Where a history from elsewhere says
 * something else than its snapshot, what readers could not make sense of is left out, and what must
 * have happened is added. Immutable, safe for any thread.
 */
public final class MemoryExport {
  private static final int DEFAULT_FRAMES = 16;

  private final List<Recording> recordings;
  private final long maxEntries;
  private final int maxFrames;

  private MemoryExport(List<Recording> recordings, long maxEntries, int maxFrames) {
    this.recordings = recordings;
    this.maxEntries = maxEntries;
    this.maxFrames = maxFrames;
  }

  /**
   * Takes an export of the present moment.
   *
   * @param allocators one for each device
   * @throws InvalidArgumentException if two of them are one device's
   */
  public static MemoryExport of(CachingAllocator... allocators) {
    List<Recording> recordings = new ArrayList<>();
    for (CachingAllocator each : allocators) {
      AllocatorRecording now = each.getRecording();
      recordings.add(recording(each.getDevice(), now.snapshot(), now.history()));
    }
    recordings.sort(Comparator.comparingInt(Recording::device));
    for (int i = 1; i < recordings.size(); i++) {
      if (recordings.get(i).device() == recordings.get(i - 1).device()) {
        throw new InvalidArgumentException(
            "two allocators of device "
                + recordings.get(i).device()
                + ": one file holds one of each device; write them one by one");
      }
    }
    return new MemoryExport(List.copyOf(recordings), -1, DEFAULT_FRAMES);
  }

  /** Creates an export of a snapshot and a history that were kept. */
  public static MemoryExport of(
      Device device, AllocatorSnapshot snapshot, AllocatorHistory history) {
    return new MemoryExport(List.of(recording(device, snapshot, history)), -1, DEFAULT_FRAMES);
  }

  private static Recording recording(
      Device device, AllocatorSnapshot snapshot, AllocatorHistory history) {
    return new Recording(
        device.getOrdinal(),
        device.getProperties().name(),
        device.getProperties().totalMemoryBytes(),
        snapshot,
        history);
  }

  /**
   * The same with another number of events.
   *
   * @param events how many of the latest are written, from 0; without it all in {@link
   *     ExportFormat#CSV}, and 100,000 in the formats that pages read
   */
  @Experimental
  public MemoryExport withMaxEntries(long events) {
    if (events < 0) {
      throw new InvalidArgumentException("wanted from 0 events, not " + events);
    }
    return new MemoryExport(recordings, events, maxFrames);
  }

  /**
   * The same with another length of stacks.
   *
   * @param frames how many of the nearest frames are written, from 0; without it 16
   */
  @Experimental
  public MemoryExport withMaxFrames(int frames) {
    if (frames < 0) {
      throw new InvalidArgumentException("wanted from 0 frames, not " + frames);
    }
    return new MemoryExport(recordings, maxEntries, frames);
  }

  /**
   * Writes a file. One that is there is replaced once all is written, and stays if that fails.
   *
   * @throws UncheckedIOException if it cannot be written
   * @throws InvalidArgumentException as {@link #write(ExportFormat, OutputStream)} does
   */
  public void write(ExportFormat format, Path file) {
    requireFits(format);
    try {
      if (Files.exists(file) && !Files.isRegularFile(file)) {
        // A pipe or a device stays what it is.
        writeTo(format, file);
      } else {
        replace(format, Files.exists(file) ? file.toRealPath() : file.toAbsolutePath());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot write " + file + ": " + e + "; make room, or name a file that can be written", e);
    }
  }

  private void replace(ExportFormat format, Path file) throws IOException {
    // Two threads may write the same file.
    Path part = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID() + ".part");
    try {
      writeTo(format, part);
      Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private void writeTo(ExportFormat format, Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      writeAll(format, out);
    }
  }

  /**
   * Writes to a stream, and leaves it open.
   *
   * @throws UncheckedIOException if that fails
   * @throws InvalidArgumentException for {@link ExportFormat#CSV} of several devices, as a trace of
   *     rows is one device's
   */
  public void write(ExportFormat format, OutputStream out) {
    requireFits(format);
    try {
      writeAll(format, out);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + format + ": " + e.getMessage(), e);
    }
  }

  private void writeAll(ExportFormat format, OutputStream out) throws IOException {
    ExportLimits limits =
        new ExportLimits(maxEntries < 0 ? format.maxEntries : maxEntries, maxFrames);
    OutputStream buffered = new BufferedOutputStream(new LeftOpen(out), 1 << 16);
    switch (format) {
      case PYTORCH_JSON -> writeSnapshot(new JsonValues(buffered), limits);
      case PYTORCH_PICKLE -> writeSnapshot(new PickleValues(buffered), limits);
      case PERFETTO -> {
        JsonValues values = new JsonValues(buffered);
        new PerfettoTrace(values, limits).write(recordings);
        values.finish();
      }
      case CSV -> {
        Writer writer =
            new BufferedWriter(new OutputStreamWriter(buffered, StandardCharsets.UTF_8));
        new CsvTrace(writer, limits).write(recordings.get(0));
        writer.flush();
      }
    }
    buffered.flush();
  }

  private void writeSnapshot(ValueWriter values, ExportLimits limits) throws IOException {
    new PyTorchSnapshot(values, limits).write(recordings);
    values.finish();
  }

  private void requireFits(ExportFormat format) {
    if (format == ExportFormat.CSV && recordings.size() != 1) {
      throw new InvalidArgumentException(
          "a trace of rows is one device's, not "
              + recordings.size()
              + "': write each allocator to a file of its own");
    }
  }

  /** Is flushed at the end, never closed. */
  private static final class LeftOpen extends FilterOutputStream {
    LeftOpen(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }
}
