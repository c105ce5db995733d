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
 * Exports the memory of allocators at one moment, and the events before it, for other tools.
 *
 * <p>Events are exported if the option {@link
 * org.vramkit.pool.caching.CachingAllocatorBuilder#history} is set. The export is streamed, so its
 * memory does not grow with the history. The events lead exactly to the snapshot, even while other
 * threads allocate. If a given history contradicts its snapshot, events that readers would reject
 * are left out, and missing events are added. Immutable and thread-safe.
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
   * Creates an export of the current state of the allocators.
   *
   * @param allocators at most one for each device
   * @throws InvalidArgumentException if two allocators belong to one device
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
                + ": a file holds one allocator per device; write them to separate files");
      }
    }
    return new MemoryExport(List.copyOf(recordings), -1, DEFAULT_FRAMES);
  }

  /** Creates an export of a stored snapshot and history. */
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
   * Returns a copy that writes at most {@code events} events.
   *
   * @param events the maximum number of events, 0 or more; the latest are written. Default: all for
   *     {@link ExportFormat#CSV}, 100,000 for the other formats
   */
  @Experimental
  public MemoryExport withMaxEntries(long events) {
    if (events < 0) {
      throw new InvalidArgumentException("the number of events must be 0 or more, not " + events);
    }
    return new MemoryExport(recordings, events, maxFrames);
  }

  /**
   * Returns a copy that writes at most {@code frames} frames per stack.
   *
   * @param frames the maximum number of frames, 0 or more; the innermost are written. Default 16
   */
  @Experimental
  public MemoryExport withMaxFrames(int frames) {
    if (frames < 0) {
      throw new InvalidArgumentException("the number of frames must be 0 or more, not " + frames);
    }
    return new MemoryExport(recordings, maxEntries, frames);
  }

  /**
   * Writes a file. An existing file is replaced atomically on success, and kept on failure.
   *
   * @throws UncheckedIOException if the file cannot be written
   * @throws InvalidArgumentException as {@link #write(ExportFormat, OutputStream)}
   */
  public void write(ExportFormat format, Path file) {
    requireFits(format);
    try {
      if (Files.exists(file) && !Files.isRegularFile(file)) {
        // Write to a pipe or a device directly.
        writeTo(format, file);
      } else {
        replace(format, Files.exists(file) ? file.toRealPath() : file.toAbsolutePath());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file + ": " + problemOf(file, e), e);
    }
  }

  private static String problemOf(Path file, IOException e) {
    Path folder = file.toAbsolutePath().getParent();
    return folder == null || Files.isDirectory(folder)
        ? e + "; free disk space, or name a writable file"
        : "the folder " + folder + " does not exist; create it, or name a writable file";
  }

  private void replace(ExportFormat format, Path file) throws IOException {
    // A unique name, because two threads may write the same file.
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
   * Writes to a stream without closing it.
   *
   * @throws UncheckedIOException if writing fails
   * @throws InvalidArgumentException for {@link ExportFormat#CSV} with several devices
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
    OutputStream buffered = new BufferedOutputStream(new NonClosing(out), 1 << 16);
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
          "a CSV trace holds one device, not "
              + recordings.size()
              + "; write each allocator to its own file");
    }
  }

  /** Flushes on close, without closing the underlying stream. */
  private static final class NonClosing extends FilterOutputStream {
    NonClosing(OutputStream out) {
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
