package org.vramkit.tools;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.replay.UsageException;

/**
 * A result file that an option names, checked before the work begins.
 *
 * @param option the option, as messages name it
 * @param path the file
 * @param kind the kind of result
 */
record OutputFile(String option, Path path, Kind kind) {
  private static final int HEAD = 64;

  /** Kinds of results; a result may overwrite only a file of its own kind. */
  enum Kind {
    HTML_PAGE("an HTML page", "<!doctype html"),
    STORED_PROGRAM("a stored program", "\"vramkit-program\"");

    private final String description;

    /** Lower-case text that the first bytes of every file of this kind contain. */
    private final String mark;

    Kind(String description, String mark) {
      this.description = description;
      this.mark = mark;
    }
  }

  /**
   * Checks that the file can be written and that at most an earlier result is overwritten. A user
   * who types {@code --html traces/*} would otherwise lose a trace.
   *
   * @param inputs the command's input files, which are never overwritten
   * @throws UsageException if the check fails
   */
  void check(List<Path> inputs) {
    check();
    for (Path input : inputs) {
      if (isSame(input)) {
        throw problem(path + " is one of the files to read; name another file");
      }
    }
  }

  /** Returns whether an input is this file, even if its path differs. */
  private boolean isSame(Path input) {
    try {
      if (Files.exists(input) && Files.exists(path)) {
        return Files.isSameFile(input, path);
      }
      return input.toAbsolutePath().normalize().equals(path.toAbsolutePath().normalize());
    } catch (IOException e) {
      throw problem("cannot look at " + e.getMessage());
    }
  }

  /**
   * Checks the file, as {@link #check(List)} does for a command without input files.
   *
   * @throws UsageException if not
   */
  void check() {
    if (path.toString().isEmpty()) {
      throw problem("the file name is empty; name a file");
    }
    if (Files.isDirectory(path)) {
      throw problem(path + " is a directory; name a file in it");
    }
    Path parent = path.toAbsolutePath().getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      throw problem("directory " + parent + " does not exist; create it or name another");
    }
    if (Files.isRegularFile(path) && !isReplaceable()) {
      throw problem(
          path + " exists and is not " + kind.description + "; name another file or remove it");
    }
    boolean writable = Files.exists(path) ? Files.isWritable(path) : canCreate(parent);
    if (!writable) {
      throw problem(path + " is not writable; name another file or change its permissions");
    }
  }

  /** Produces the bytes of a file. */
  interface Content {
    void write(OutputStream target) throws IOException;
  }

  /** Writes text. */
  void write(String text) {
    write(target -> target.write(text.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Writes to a temporary file and then renames it, so that an existing file survives a failure.
   *
   * @throws UsageException if no file can be created there
   * @throws UncheckedIOException if writing fails, such as on a full disk
   */
  void write(Content content) {
    try {
      boolean exists = Files.exists(path);
      // A device or a pipe cannot be replaced by a move.
      Path file = Files.isRegularFile(path) ? path.toRealPath() : path.toAbsolutePath();
      if ((!exists || Files.isRegularFile(file)) && canCreate(file.getParent())) {
        replace(file, content);
      } else {
        writeTo(path, content);
      }
    } catch (NoSuchFileException | AccessDeniedException e) {
      throw problem("cannot write " + path + ": the folder does not permit it; name another file");
    } catch (IOException e) {
      throw new UncheckedIOException(
          option
              + ": cannot write "
              + path
              + ": "
              + reason(e)
              + "; free disk space or name another file",
          e);
    }
  }

  private static void replace(Path file, Content content) throws IOException {
    String name = file.getFileName() + "." + ProcessHandle.current().pid() + ".part";
    Path part = file.resolveSibling(name);
    try {
      writeTo(part, content);
      Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static void writeTo(Path file, Content content) throws IOException {
    try (OutputStream target = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)) {
      content.write(target);
    }
  }

  /** Returns the message without a leading file name. */
  private static String reason(IOException e) {
    String reason = e instanceof FileSystemException named ? named.getReason() : e.getMessage();
    return reason == null ? e.toString() : reason;
  }

  private static boolean canCreate(@Nullable Path parent) {
    return parent == null || Files.isWritable(parent);
  }

  private boolean isReplaceable() {
    try (InputStream bytes = Files.newInputStream(path)) {
      String head = new String(bytes.readNBytes(HEAD), StandardCharsets.ISO_8859_1);
      return head.isEmpty() || head.toLowerCase(Locale.ROOT).contains(kind.mark);
    } catch (IOException e) {
      throw problem("cannot look at " + e.getMessage());
    }
  }

  private UsageException problem(String text) {
    return new UsageException(option + ": " + text);
  }
}
