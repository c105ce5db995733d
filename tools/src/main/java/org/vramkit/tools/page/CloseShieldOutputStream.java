package org.vramkit.tools.page;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Flushes, but does not close, its target on {@link #close()}. */
final class CloseShieldOutputStream extends FilterOutputStream {
  CloseShieldOutputStream(OutputStream target) {
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
