package org.vramkit.tools;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A stream to standard output that remembers its first failure. A {@link PrintWriter} hides
 * failures, so a full disk would look like success.
 */
final class StandardOutput extends OutputStream {
  private final OutputStream target;
  private @Nullable IOException failure;

  StandardOutput(OutputStream target) {
    this.target = target;
  }

  /** Returns a writer in UTF-8, which the caller flushes. */
  PrintWriter writer() {
    return new PrintWriter(new OutputStreamWriter(this, StandardCharsets.UTF_8), false);
  }

  /**
   * Returns the reason of the first failure, or null. A closed pipe is no failure: readers such as
   * {@code head} stop early.
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
