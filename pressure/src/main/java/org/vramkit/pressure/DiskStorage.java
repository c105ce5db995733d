package org.vramkit.pressure;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The file of all spilled bytes on disk, created on first use. Guarded by its store.
 *
 * <p>Uses no {@code FileChannel}, because an interrupt would close the channel. The name of the
 * file is deleted early, so all spilled bytes would be lost.
 */
final class DiskStorage implements AutoCloseable {
  /** A range of the file, with the CRC-32C of its bytes. */
  record Extent(long offset, long bytes, long checksum) {}

  /** Moves the bytes from an offset on into the buffer, or out of it. */
  @FunctionalInterface
  interface Piece {
    void move(ByteBuffer buffer, long offset);
  }

  private static final int PIECE = 4 << 20;

  private final Path folder;
  private final Room room;
  private final ByteBuffer buffer = ByteBuffer.allocate(PIECE);
  private @Nullable Path path;
  private @Nullable RandomAccessFile file;

  /** Creates the folder if it is missing and the limit is not 0. */
  DiskStorage(Path folder, long limit) {
    this.folder = folder;
    this.room = new Room(limit);
    if (limit > 0) {
      requireWritable(folder);
    }
  }

  private static void requireWritable(Path folder) {
    String wrong =
        "cannot spill to " + folder + "; name a folder that can be created and written to";
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(wrong, e);
    }
    if (!Files.isWritable(folder)) {
      throw new UncheckedIOException(wrong, new AccessDeniedException(folder.toString()));
    }
  }

  /**
   * Writes bytes piece by piece.
   *
   * @param source fills a buffer with the bytes from an offset on
   * @return the range; null if the limit leaves too little room
   * @throws IOException if the disk fails or is full; nothing is kept
   */
  @Nullable Extent write(long bytes, Piece source) throws IOException {
    long offset = room.take(bytes);
    if (offset == Room.NONE) {
      return null;
    }
    boolean written = false;
    try {
      CRC32C checksum = new CRC32C();
      for (long done = 0; done < bytes; done += buffer.limit()) {
        buffer.clear().limit((int) Math.min(PIECE, bytes - done));
        source.move(buffer.duplicate(), done);
        checksum.update(buffer.duplicate());
        write(offset + done, buffer.limit());
      }
      written = true;
      return new Extent(offset, bytes, checksum.getValue());
    } finally {
      if (!written) {
        room.giveBack(offset, bytes);
      }
    }
  }

  /**
   * Reads written bytes piece by piece.
   *
   * @throws IOException if the disk fails, or the checksum is wrong
   */
  void read(Extent extent, Piece target) throws IOException {
    CRC32C checksum = new CRC32C();
    for (long done = 0; done < extent.bytes(); done += buffer.limit()) {
      buffer.clear().limit((int) Math.min(PIECE, extent.bytes() - done));
      read(extent.offset() + done, buffer.limit());
      checksum.update(buffer.duplicate());
      target.move(buffer.duplicate(), done);
    }
    if (checksum.getValue() != extent.checksum()) {
      throw new IOException(
          "the file of spilled memory in "
              + folder
              + " was changed: the checksum of "
              + extent
              + " is "
              + checksum.getValue());
    }
  }

  void free(Extent extent) {
    room.giveBack(extent.offset(), extent.bytes());
  }

  private void write(long position, int bytes) throws IOException {
    RandomAccessFile opened = open();
    opened.seek(position);
    opened.write(buffer.array(), 0, bytes);
  }

  private void read(long position, int bytes) throws IOException {
    RandomAccessFile opened = open();
    opened.seek(position);
    try {
      opened.readFully(buffer.array(), 0, bytes);
    } catch (EOFException e) {
      throw new IOException("the file of spilled memory in " + folder + " is too short", e);
    }
  }

  RandomAccessFile open() throws IOException {
    RandomAccessFile opened = file;
    if (opened == null) {
      Path made = path == null ? Files.createTempFile(folder, "vramkit-", ".spill") : path;
      path = made;
      opened = new RandomAccessFile(made.toFile(), "rw");
      file = opened;
      deleteEarly(made);
    }
    return opened;
  }

  /**
   * Deletes the name of the open file, so that a killed process leaves no file. On systems that
   * refuse this, the close or the exit of the JVM deletes the file.
   */
  private void deleteEarly(Path made) {
    try {
      Files.delete(made);
      path = null;
    } catch (IOException e) {
      made.toFile().deleteOnExit();
    }
  }

  @Override
  public void close() throws IOException {
    try {
      if (file != null) {
        file.close();
      }
    } finally {
      if (path != null) {
        Files.deleteIfExists(path);
      }
    }
  }
}
