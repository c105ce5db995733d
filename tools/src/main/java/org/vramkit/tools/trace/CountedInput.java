package org.vramkit.tools.trace;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;

/** Tells how many bytes were read; it is read by a buffer, in large pieces. */
final class CountedInput extends FilterInputStream {
  private final LongConsumer progress;

  CountedInput(InputStream bytes, LongConsumer progress) {
    super(bytes);
    this.progress = progress;
  }

  /**
   * Returns at least one, because what a file knows of its own length fails on a pipe. At the end
   * this costs one more read.
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
