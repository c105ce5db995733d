package org.vramkit.tools.trace;

import java.io.BufferedInputStream;
import java.io.EOFException;
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

/** The bytes of one file, unpacked if they are gzip, with errors that name the file. */
final class TraceInput implements AutoCloseable {
  private static final int BUFFER = 1 << 16;
  // The mark of a tar archive stands 257 bytes behind its begin.
  private static final int PEEK = 512;

  private final String name;
  private final boolean isGzip;
  private final InputStream bytes;

  private TraceInput(String name, boolean isGzip, InputStream bytes) {
    this.name = name;
    this.isGzip = isGzip;
    this.bytes = bytes;
  }

  /** Opens a file; tells how many of its bytes were read, chunk by chunk. */
  static TraceInput open(Path path, LongConsumer progress) {
    String name = path.toString();
    if (name.isEmpty()) {
      throw new TraceException("''", "an empty name is no file");
    }
    if (Files.isDirectory(path)) {
      throw new TraceException(name, "is a directory; name the files in it");
    }
    try {
      return of(name, new CountedInput(Files.newInputStream(path), progress));
    } catch (NoSuchFileException e) {
      throw new TraceException(name, "no such file");
    } catch (AccessDeniedException e) {
      throw new TraceException(name, "may not be read by this account; change its permissions");
    } catch (IOException e) {
      throw new TraceException(name, "cannot be read: " + e.getMessage());
    }
  }

  /** Takes over a stream of bytes under a name. */
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

  /** Takes the byte order mark that some editors and shells put before text of UTF-8. */
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

  /** The unpacked bytes; their exceptions go through {@link #failed(String, IOException)}. */
  InputStream getBytes() {
    return bytes;
  }

  /** The first bytes, one char each, without taking them. */
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

  /** Returns whether nothing but white space is left; takes what it reads. */
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
   * Finds what is wrong with the file. Damaged gzip data may be unpacked to text that no reader
   * takes, before their checksum tells of it; so the rest is read.
   *
   * @param found what a reader says
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

  /** Turns an exception of the stream into one that names the file. */
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
