package org.vramkit.tools.trace;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Unpacks gzip and refuses what follows its last member. The library passes that over in silence,
 * and with it the rest of a file of several members whose second one is damaged.
 */
final class StrictGzip extends GZIPInputStream {
  // The checksum and the length behind a member.
  private static final int TRAILER = 8;

  StrictGzip(InputStream packed, int buffer) throws IOException {
    super(packed, buffer);
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int count = super.read(target, offset, length);
    if (count < 0 && (inf.getRemaining() > TRAILER || in.read() >= 0)) {
      throw new ZipException("something follows them that is no gzip");
    }
    return count;
  }
}
