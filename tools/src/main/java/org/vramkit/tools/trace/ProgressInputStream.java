package org.vramkit.tools.trace;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;

/** Reports the number of bytes of each read, so callers should read blocks. */
final class ProgressInputStream extends FilterInputStream {
  private final LongConsumer progress;

  ProgressInputStream(InputStream bytes, LongConsumer progress) {
    super(bytes);
    this.progress = progress;
  }

  /**
   * Returns 1, because the method of a file stream fails on a pipe. Callers then read once more at
   * the end.
   */
  @Override
  public int available() {
    return 1;
  }

  @Override
  public int read() throws IOException {
    int value = super.read();
    if (value >= 0) {
      progress.accept(1);
    }
    return value;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int count = super.read(target, offset, length);
    if (count > 0) {
      progress.accept(count);
    }
    return count;
  }
}
