package org.vramkit.cuda;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Host memory that pages can still be touched in. A process that touches more is killed, whereas a
 * driver that page-locks too much returns an error.
 */
final class HostHeadroom {
  /** Stands for a file without a limit, or a missing one. */
  private static final long UNLIMITED = Long.MAX_VALUE;

  /** Bytes that will be touched, and that the operating system still counts as free. */
  private static long claimed;

  /** The file system in which the files are read. */
  private final Path root;

  HostHeadroom(Path root) {
    this.root = root;
  }

  /**
   * Claims memory that will be touched, and leaves an eighth of what is free to others. Each
   * claimed byte ends by {@link #touched}.
   *
   * @return false if too little is free, or the operating system does not tell what is
   */
  boolean claim(long bytes) {
    synchronized (HostHeadroom.class) {
      long free = Math.min(ofMachine(), ofControlGroups());
      boolean fits = free - free / 8 - claimed >= bytes;
      claimed += fits ? bytes : 0;
      return fits;
    }
  }

  /** Ends the claim of bytes that were touched, or will not be. */
  static synchronized void touched(long bytes) {
    claimed -= bytes;
  }

  private long ofMachine() {
    return lines("proc/meminfo")
        .filter(line -> line.startsWith("MemAvailable:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
        .findFirst()
        .orElse(0);
  }

  /** Returns the least headroom of this process's control groups and those around them. */
  private long ofControlGroups() {
    long least = UNLIMITED;
    for (String line : lines("proc/self/cgroup").toList()) {
      String[] fields = line.split(":", 3);
      boolean isSecond = line.startsWith("0::");
      if (fields.length == 3 && (isSecond || List.of(fields[1].split(",")).contains("memory"))) {
        Path top = root.resolve(isSecond ? "sys/fs/cgroup" : "sys/fs/cgroup/memory");
        Path named = top.resolve(fields[2].replaceFirst("^/+", "")).normalize();
        // A group outside of the name space is named as /../other; its limit is that of the root.
        Path group = named.startsWith(top) ? named : top;
        for (; group != null && group.startsWith(top); group = group.getParent()) {
          least = Math.min(least, isSecond ? ofSecond(group) : ofFirst(group));
        }
      }
    }
    return least;
  }

  private long ofSecond(Path group) {
    return headroom(
        number(group.resolve("memory.max")),
        number(group.resolve("memory.current")),
        cached(group, "inactive_file "));
  }

  private long ofFirst(Path group) {
    return headroom(
        number(group.resolve("memory.limit_in_bytes")),
        number(group.resolve("memory.usage_in_bytes")),
        cached(group, "total_inactive_file "));
  }

  private static long headroom(long limit, long used, long cached) {
    return limit == UNLIMITED || used == UNLIMITED ? UNLIMITED : Math.max(0, limit - used + cached);
  }

  /** Returns the bytes of files in memory, which the kernel drops when memory is needed. */
  private long cached(Path group, String name) {
    return lines(root.relativize(group.resolve("memory.stat")).toString())
        .filter(line -> line.startsWith(name))
        .mapToLong(line -> Long.parseLong(line.substring(name.length()).strip()))
        .findFirst()
        .orElse(0);
  }

  private long number(Path file) {
    return lines(root.relativize(file).toString())
        .filter(line -> line.matches("\\d{1,18}"))
        .mapToLong(Long::parseLong)
        .findFirst()
        .orElse(UNLIMITED);
  }

  private Stream<String> lines(String file) {
    try {
      return Files.readAllLines(root.resolve(file)).stream();
    } catch (IOException e) {
      return Stream.of();
    }
  }
}
