package org.vramkit.sim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/** The bytes of a page-locked or managed buffer, which the host and devices share. */
abstract class HostMemory {
  final long size;

  private HostMemory(long size) {
    this.size = size;
  }

  /** Returns a view of a part; all views share their bytes. */
  abstract ByteBuffer view(long offset, int bytes);

  /** Releases what is not left to the garbage collector. */
  void close() {}

  static HostMemory of(ByteBuffer direct) {
    return new HostMemory(direct.capacity()) {
      @Override
      ByteBuffer view(long offset, int bytes) {
        return direct.slice((int) offset, bytes);
      }
    };
  }

  /**
   * Creates memory that takes space only where it is written, so that it may be larger than the
   * memory of the JVM and of the machine: views of a sparse temporary file.
   */
  static HostMemory sparse(long bytes) {
    try {
      Path file = Files.createTempFile("vramkit-managed", null);
      return new Sparse(
          bytes,
          FileChannel.open(
              file,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.DELETE_ON_CLOSE));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create a file for managed memory", e);
    }
  }

  private static final class Sparse extends HostMemory {
    /** Distance of the mapped windows, which overlap, so that a view up to it lies in one. */
    private static final long WINDOW = 1 << 30;

    private final FileChannel file;
    private final Map<Long, ByteBuffer> windows = new HashMap<>();

    Sparse(long bytes, FileChannel file) {
      super(bytes);
      this.file = file;
    }

    @Override
    ByteBuffer view(long offset, int bytes) {
      if (bytes > WINDOW) {
        return map(offset, bytes);
      }
      long start = offset / WINDOW * WINDOW;
      return windows
          .computeIfAbsent(start, at -> map(at, Math.min(2 * WINDOW - 1, size - at)))
          .slice((int) (offset - start), bytes);
    }

    private ByteBuffer map(long offset, long bytes) {
      try {
        return file.map(FileChannel.MapMode.READ_WRITE, offset, bytes);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot map managed memory", e);
      }
    }

    @Override
    void close() {
      windows.clear();
      try {
        file.close();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot delete the file of managed memory", e);
      }
    }
  }
}
