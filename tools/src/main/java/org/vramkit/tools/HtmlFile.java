package org.vramkit.tools;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.replay.UsageException;

/** The file that {@code --html} names, checked before the work whose result it is to hold. */
record HtmlFile(Path path) {
  private static final String BEGIN = "<!doctype html";

  /**
   * Checks that it can be written, and that nothing but an earlier page is lost: {@code --html
   * traces/*} names a trace where a page was meant.
   *
   * @throws UsageException if not
   */
  void check() {
    if (path.toString().isEmpty()) {
      throw new UsageException("--html: an empty name is no file");
    }
    if (Files.isDirectory(path)) {
      throw new UsageException("--html: " + path + " is a directory; name a file in it");
    }
    Path parent = path.toAbsolutePath().getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      throw new UsageException("--html: there is no directory " + parent + " to write into");
    }
    if (Files.isRegularFile(path) && !isReplaceable()) {
      throw new UsageException(
          "--html: " + path + " exists and is no HTML page; name another file or remove it");
    }
    boolean writable = Files.exists(path) ? Files.isWritable(path) : canCreate(parent);
    if (!writable) {
      throw new UsageException("--html: " + path + " cannot be written; name another file");
    }
  }

  /** Writes the page. */
  void write(String text) {
    try {
      Files.writeString(path, text);
    } catch (NoSuchFileException | AccessDeniedException e) {
      throw new UsageException(
          "--html: cannot write " + path + ": no file can be created there; name another one");
    } catch (IOException e) {
      // Its message names the file.
      throw new UsageException("--html: cannot write " + e.getMessage());
    }
  }

  private static boolean canCreate(@Nullable Path parent) {
    return parent == null || Files.isWritable(parent);
  }

  private boolean isReplaceable() {
    try (InputStream bytes = Files.newInputStream(path)) {
      String head = new String(bytes.readNBytes(BEGIN.length()), StandardCharsets.ISO_8859_1);
      return head.isEmpty() || head.toLowerCase(Locale.ROOT).equals(BEGIN);
    } catch (IOException e) {
      throw new UsageException("--html: cannot look at " + e.getMessage());
    }
  }
}
