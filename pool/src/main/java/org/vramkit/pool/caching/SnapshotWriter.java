package org.vramkit.pool.caching;

import java.nio.file.Path;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.NotSupportedException;

/**
 * Writes snapshots of an allocator, for {@link CachingAllocator#writeSnapshot}. The module {@code
 * vramkit-export} provides this service, because {@code vramkit-pool} knows no file format.
 */
@FunctionalInterface
public interface SnapshotWriter {

  /**
   * Finds the service through the class loader of this module, else the thread's context class
   * loader.
   *
   * @throws NotSupportedException if neither loader finds one
   */
  static SnapshotWriter find() {
    return Stream.of(
            SnapshotWriter.class.getClassLoader(), Thread.currentThread().getContextClassLoader())
        .filter(Objects::nonNull)
        .flatMap(loader -> ServiceLoader.load(SnapshotWriter.class, loader).findFirst().stream())
        .findFirst()
        .orElseThrow(
            () ->
                new NotSupportedException(
                    "no snapshot can be written without a SnapshotWriter on the class path; add"
                        + " org.vramkit:vramkit-export"));
  }

  /**
   * Writes a snapshot and its history to a file.
   *
   * @throws java.io.UncheckedIOException if the file cannot be written
   */
  void write(Device device, AllocatorRecording recording, Path file);
}
