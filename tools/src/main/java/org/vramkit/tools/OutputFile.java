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
 * A file that an option names for a result, checked before the work whose result it is to hold.
 *
 * @param option the option, for messages
 * @param path the file
 * @param kind what it is to hold
 */
record OutputFile(String option, Path path, Kind kind) {
  private static final int HEAD = 64;

  /** The kinds of results, each of which may replace a file of its own kind. */
  enum Kind {
    HTML_PAGE("HTML page", "<!doctype html"),
    STORED_PROGRAM("stored program", "\"vramkit-program\"");

    private final String words;

    /** In lower case, among the first bytes. */
    private final String mark;

    Kind(String words, String mark) {
      this.words = words;
      this.mark = mark;
    }
  }

  /**
   * Checks that it can be written, and that nothing but an earlier result of its kind is lost:
   * {@code --html traces/*} names a trace where a page was meant.
   *
   * @param inputs files that are read, which no result may take the place of, whatever they hold
   * @throws UsageException if not
   */
  void check(List<Path> inputs) {
    check();
    for (Path input : inputs) {
      if (isSame(input)) {
        throw problem(path + " is one of the files to read; name another file");
      }
    }
  }

  /** By whatever name: links, and other spellings of the way to it. */
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
   * The same, where nothing is read that it could take the place of.
   *
   * @throws UsageException if not
   */
  void check() {
    if (path.toString().isEmpty()) {
      throw problem("an empty name is no file");
    }
    if (Files.isDirectory(path)) {
      throw problem(path + " is a directory; name a file in it");
    }
    Path parent = path.toAbsolutePath().getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      throw problem("there is no directory " + parent + " to write into");
    }
    if (Files.isRegularFile(path) && !isReplaceable()) {
      throw problem(path + " exists and is no " + kind.words + "; name another file or remove it");
    }
    boolean writable = Files.exists(path) ? Files.isWritable(path) : canCreate(parent);
    if (!writable) {
      throw problem(path + " cannot be written; name another file");
    }
  }

  /** Writes the bytes of a file. */
  interface Content {
    void write(OutputStream target) throws IOException;
  }

  /** Writes text. */
  void write(String text) {
    write(target -> target.write(text.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Writes bytes: beside a file that may be there, which stays if that fails.
   *
   * @throws UsageException if no file can be created there
   * @throws UncheckedIOException if the bytes do not fit, or cannot be written for another reason
   */
  void write(Content content) {
    try {
      boolean exists = Files.exists(path);
      // A device or a pipe is no place to move a file to.
      Path file = Files.isRegularFile(path) ? path.toRealPath() : path.toAbsolutePath();
      if ((!exists || Files.isRegularFile(file)) && canCreate(file.getParent())) {
        replace(file, content);
      } else {
        writeTo(path, content);
      }
    } catch (NoSuchFileException | AccessDeniedException e) {
      throw problem("cannot write " + path + ": no file can be created there; name another one");
    } catch (IOException e) {
      throw new UncheckedIOException(
          option
              + ": cannot write "
              + path
              + ": "
              + reason(e)
              + "; make room, or name another file",
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

  /** The reason alone: the messages of some exceptions of files begin with the name. */
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
