package org.vramkit.pool.caching;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.GpuException;

/**
 * Writes a snapshot for each of the first out-of-memory errors of this JVM if the system property
 * {@value #PROPERTY} names a folder. The error names the file, or the reason if it cannot be
 * written.
 */
final class OutOfMemorySnapshots {
  static final String PROPERTY = "vramkit.snapshot-on-out-of-memory";

  /** Most snapshots, because a program that runs out of memory in a loop must not fill the disk. */
  private static final int MOST = 8;

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  /** The number of snapshots of this JVM. */
  private static final AtomicInteger TAKEN = new AtomicInteger();

  private OutOfMemorySnapshots() {}

  /** Writes a snapshot if enabled; returns the error for the caller of the allocation. */
  static AllocatorOutOfMemoryException take(
      AllocatorOutOfMemoryException refusal, Device device, Consumer<Path> writer) {
    String folder = System.getProperty(PROPERTY, "");
    if (folder.isEmpty() || TAKEN.get() >= MOST) {
      return refusal;
    }
    int number = TAKEN.incrementAndGet();
    return number > MOST ? refusal : with(refusal, write(device, writer, folder, number));
  }

  private static String write(Device device, Consumer<Path> writer, String folder, int number) {
    try {
      Path file = Path.of(folder).resolve(nameOf(device, number)).toAbsolutePath();
      Files.createDirectories(file.getParent());
      writer.accept(file);
      return "snapshot: " + file + (number == MOST ? " (the last one of this process)" : "");
    } catch (IOException e) {
      return failed(e.toString());
    } catch (GpuException | UncheckedIOException e) {
      // The message names what is missing and the remedy, such as the module that writes snapshots.
      return failed(String.valueOf(e.getMessage()));
    } catch (RuntimeException | Error e) {
      // An error too: the Java heap may be full, and a service may fail to load.
      return failed(e.toString());
    }
  }

  private static String failed(String why) {
    return "no snapshot for -D" + PROPERTY + ": " + why;
  }

  private static String nameOf(Device device, int number) {
    return "vramkit-oom-"
        + TIME.format(LocalDateTime.now(ZoneOffset.UTC))
        + "-"
        + ProcessHandle.current().pid()
        + "-device"
        + device.getOrdinal()
        + "-"
        + number
        + ".pickle";
  }

  private static AllocatorOutOfMemoryException with(
      AllocatorOutOfMemoryException refusal, String snapshot) {
    AllocatorOutOfMemoryException more =
        new AllocatorOutOfMemoryException(
            refusal.getMessage() + "; " + snapshot,
            refusal.getReport(),
            refusal.getStatus(),
            refusal.getCause());
    more.setStackTrace(refusal.getStackTrace());
    return more;
  }
}
