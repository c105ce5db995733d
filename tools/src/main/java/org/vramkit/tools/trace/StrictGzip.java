package org.vramkit.tools.trace;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Unpacks gzip and rejects trailing data. {@link GZIPInputStream} ignores trailing data, and
 * therefore the second and later members of a file if the second is damaged.
 */
final class StrictGzip extends GZIPInputStream {
  // Checksum and length after a member.
  private static final int TRAILER = 8;

  StrictGzip(InputStream packed, int buffer) throws IOException {
    super(packed, buffer);
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int count = super.read(target, offset, length);
    if (count < 0 && (inf.getRemaining() > TRAILER || in.read() >= 0)) {
      throw new ZipException("something else follows them");
    }
    return count;
  }
}
