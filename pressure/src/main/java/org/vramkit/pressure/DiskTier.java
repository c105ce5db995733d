package org.vramkit.pressure;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** One file for all that is on disk, made when it is first needed. Guarded by its store. */
final class DiskTier implements AutoCloseable {
  /** Where some bytes lie, and what they sum up to. */
  record Extent(long offset, long bytes, long checksum) {}

  /** Gives, or takes, the bytes of a piece. */
  @FunctionalInterface
  interface Piece {
    void move(ByteBuffer buffer, long offset);
  }

  private static final int PIECE = 4 << 20;

  private final Path folder;
  private final Room room;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(PIECE);
  private @Nullable FileChannel file;

  DiskTier(Path folder, long limit) {
    this.folder = folder;
    this.room = new Room(limit);
  }

  /**
   * Writes bytes piece by piece.
   *
   * @param source fills a buffer with the bytes from an offset on
   * @return null if the limit leaves too little room
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
        writeFully(buffer.duplicate(), offset + done);
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
   * Reads what was written, piece by piece.
   *
   * @throws IOException if the disk fails, or the bytes are not those that were written
   */
  void read(Extent extent, Piece target) throws IOException {
    CRC32C checksum = new CRC32C();
    for (long done = 0; done < extent.bytes(); done += buffer.limit()) {
      buffer.clear().limit((int) Math.min(PIECE, extent.bytes() - done));
      readFully(buffer.duplicate(), extent.offset() + done);
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

  private void writeFully(ByteBuffer from, long position) throws IOException {
    FileChannel channel = open();
    long at = position;
    while (from.hasRemaining()) {
      at += channel.write(from, at);
    }
  }

  private void readFully(ByteBuffer into, long position) throws IOException {
    FileChannel channel = open();
    long at = position;
    while (into.hasRemaining()) {
      int read = channel.read(into, at);
      if (read < 0) {
        throw new EOFException("the file of spilled memory in " + folder + " is too short");
      }
      at += read;
    }
  }

  FileChannel open() throws IOException {
    FileChannel opened = file;
    if (opened == null) {
      Path path = Files.createTempFile(folder, "vramkit-", ".spill");
      opened =
          FileChannel.open(
              path,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.DELETE_ON_CLOSE);
      file = opened;
    }
    return opened;
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
