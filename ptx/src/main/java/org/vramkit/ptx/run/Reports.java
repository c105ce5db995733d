package org.vramkit.ptx.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.report.CodeLine;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.report.Finding;
import org.vramkit.ptx.report.FindingKind;

/** Collects findings: one for each kind and pair of lines, with the number of its cases. */
public final class Reports {
  private final Map<Key, Entry> entries = new LinkedHashMap<>();

  private record Key(FindingKind kind, CodeLine line, @Nullable CodeLine other) {}

  private static final class Entry {
    final Place place;
    final @Nullable Place other;
    final Target target;
    final String message;
    long count;

    Entry(Place place, @Nullable Place other, Target target, String message) {
      this.place = place;
      this.other = other;
      this.target = target;
      this.message = message;
    }
  }

  /** A thread at a step: its block, its place within it, and the line. */
  public record Place(Dim3 block, Dim3 thread, CodeLine line) {
    @Override
    public String toString() {
      return "thread " + thread + " of block " + block + " at " + line;
    }
  }

  /** The memory that an access is to. */
  public record Target(String space, long address, int bytes) {
    static final Target NONE = new Target("", 0, 0);
  }

  /** Adds a case; {@code words} gives the message of the first of its lines. */
  public void add(
      FindingKind kind, Place place, @Nullable Place other, Target target, Supplier<String> words) {
    Key key = new Key(kind, place.line, other == null ? null : other.line);
    Entry entry =
        entries.computeIfAbsent(key, each -> new Entry(place, other, target, words.get()));
    entry.count++;
  }

  public List<Finding> build() {
    List<Finding> findings = new ArrayList<>();
    entries.forEach((key, entry) -> findings.add(finding(key, entry)));
    return findings;
  }

  private static Finding finding(Key key, Entry entry) {
    Place other = entry.other;
    return new Finding(
        key.kind,
        entry.message,
        entry.place.block,
        entry.place.thread,
        key.line,
        other == null ? null : other.block,
        other == null ? null : other.thread,
        key.other,
        entry.target.space,
        entry.target.address,
        entry.target.bytes,
        entry.count);
  }
}
