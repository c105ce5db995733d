package org.vramkit.tools;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The stream of the results. It remembers the first failure, which a writer would hide: a full disk
 * would pass for success.
 */
final class StandardOutput extends OutputStream {
  private final OutputStream target;
  private @Nullable IOException failure;

  StandardOutput(OutputStream target) {
    this.target = target;
  }

  /** A writer of UTF-8; its user flushes it. */
  PrintWriter writer() {
    return new PrintWriter(new OutputStreamWriter(this, StandardCharsets.UTF_8), false);
  }

  /**
   * Why not everything arrived, or null. A reader that has seen enough, such as {@code head}, is no
   * failure.
   */
  @Nullable String getFailure() {
    String reason = failure == null ? null : String.valueOf(failure.getMessage());
    return reason == null || reason.toLowerCase(Locale.ROOT).contains("pipe") ? null : reason;
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      target.write(bytes, offset, length);
    } catch (IOException e) {
      throw remember(e);
    }
  }

  @Override
  public void flush() throws IOException {
    try {
      target.flush();
    } catch (IOException e) {
      throw remember(e);
    }
  }

  private IOException remember(IOException e) {
    if (failure == null) {
      failure = e;
    }
    return e;
  }
}
