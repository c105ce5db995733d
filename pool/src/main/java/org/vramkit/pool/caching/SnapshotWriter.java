package org.vramkit.pool.caching;

import java.nio.file.Path;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.NotSupportedException;

/**
 * Writes the state of an allocator to a file, for {@link CachingAllocator#writeSnapshot}: a service
 * that {@code vramkit-export} provides, as this module knows no format.
 */
@FunctionalInterface
public interface SnapshotWriter {

  /**
   * Finds the one beside this module, else that of the thread's context class loader.
   *
   * @throws NotSupportedException if there is none
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
   * Writes a file.
   *
   * @param history read before the snapshot; null where none is kept
   * @throws java.io.UncheckedIOException if the file cannot be written
   */
  void write(
      Device device, AllocatorSnapshot snapshot, @Nullable AllocatorHistory history, Path file);
}
