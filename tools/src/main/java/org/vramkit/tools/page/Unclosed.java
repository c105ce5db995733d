package org.vramkit.tools.page;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Stays open when what writes to it is closed. */
final class Unclosed extends FilterOutputStream {
  Unclosed(OutputStream target) {
    super(target);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    out.write(bytes, offset, length);
  }

  @Override
  public void close() throws IOException {
    flush();
  }
}
