package org.vramkit.tools.trace;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import java.util.zip.ZipException;

/** The bytes of a file, unpacked if it is gzip. Errors name the file. */
final class TraceInput implements AutoCloseable {
  private static final int BUFFER = 1 << 16;
  // A tar archive is recognised by bytes at offset 257.
  private static final int PEEK = 512;

  private final String name;
  private final boolean isGzip;
  private final InputStream bytes;

  private TraceInput(String name, boolean isGzip, InputStream bytes) {
    this.name = name;
    this.isGzip = isGzip;
    this.bytes = bytes;
  }

  /** Opens a file and reports the number of bytes read to {@code progress}. */
  static TraceInput open(Path path, LongConsumer progress) {
    String name = path.toString();
    if (name.isEmpty()) {
      throw new TraceException("''", "the file name is empty; name a file");
    }
    if (Files.isDirectory(path)) {
      throw new TraceException(name, "is a directory; name files in it");
    }
    try {
      return of(name, new ProgressInputStream(Files.newInputStream(path), progress));
    } catch (NoSuchFileException e) {
      throw new TraceException(name, "no such file; check the path");
    } catch (AccessDeniedException e) {
      throw new TraceException(name, "is not readable by this user; change its permissions");
    } catch (IOException e) {
      throw new TraceException(name, "cannot be read: " + e.getMessage());
    }
  }

  /** Wraps a stream, which this object closes. */
  static TraceInput of(String name, InputStream raw) {
    BufferedInputStream packed = new BufferedInputStream(raw, BUFFER);
    try {
      packed.mark(2);
      boolean gzip = packed.read() == 0x1f && packed.read() == 0x8b;
      packed.reset();
      return new TraceInput(
          name,
          gzip,
          withoutMark(
              gzip ? new BufferedInputStream(new StrictGzip(packed, BUFFER), BUFFER) : packed));
    } catch (IOException e) {
      closeQuietly(packed, e);
      throw failed(name, e);
    }
  }

  /** Skips a UTF-8 byte order mark. */
  private static InputStream withoutMark(BufferedInputStream bytes) throws IOException {
    bytes.mark(3);
    if (bytes.read() != 0xef || bytes.read() != 0xbb || bytes.read() != 0xbf) {
      bytes.reset();
    }
    return bytes;
  }

  String getName() {
    return name;
  }

  /**
   * Returns the unpacked bytes; callers pass their exceptions to {@link #failed}. A close is
   * ignored: parsers close their source at an error, but {@link #explain} reads the rest.
   */
  InputStream getBytes() {
    return new FilterInputStream(bytes) {
      @Override
      public void close() {}
    };
  }

  /** Returns the first bytes, one per char, without consuming them. */
  String peek() {
    try {
      bytes.mark(PEEK);
      byte[] head = bytes.readNBytes(PEEK);
      bytes.reset();
      return new String(head, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw failed(name, e);
    }
  }

  /** Returns whether only white space is left, consuming it. */
  boolean isBlankToTheEnd() {
    try {
      int next = bytes.read();
      while (next >= 0 && next <= ' ') {
        next = bytes.read();
      }
      return next < 0;
    } catch (IOException e) {
      throw failed(name, e);
    }
  }

  /**
   * Returns an error that describes the damage of a gzip file, else {@code found}. Damaged data may
   * unpack to invalid text before the checksum reveals it, so this method reads the rest.
   *
   * @param found the reader's error
   */
  TraceException explain(TraceException found) {
    if (isGzip && !(found.getCause() instanceof IOException)) {
      try {
        bytes.transferTo(OutputStream.nullOutputStream());
      } catch (IOException e) {
        TraceException damage = failed(name, e);
        damage.addSuppressed(found);
        return damage;
      }
    }
    return found;
  }

  /** Converts an exception of the stream to an error that names the file. */
  static TraceException failed(String where, IOException e) {
    if (e instanceof EOFException) {
      return new TraceException(where, "the gzip data end too early; the file is truncated", e);
    }
    if (e instanceof ZipException) {
      return new TraceException(where, "the gzip data are damaged: " + e.getMessage(), e);
    }
    return new TraceException(where, "cannot be read: " + e.getMessage(), e);
  }

  @Override
  public void close() {
    try {
      bytes.close();
    } catch (IOException e) {
      throw failed(name, e);
    }
  }

  private static void closeQuietly(InputStream stream, IOException reason) {
    try {
      stream.close();
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }
}
