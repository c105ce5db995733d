package org.vramkit.ptx.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    final Finding first;
    long count = 1;

    Entry(Finding first) {
      this.first = first;
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

  /** Words a finding, when it is the first of its lines. */
  @FunctionalInterface
  public interface Words {
    String get();
  }

  public void add(
      FindingKind kind, Place place, @Nullable Place other, Target target, Words words) {
    Key key = new Key(kind, place.line, other == null ? null : other.line);
    Entry entry = entries.get(key);
    if (entry != null) {
      entry.count++;
      return;
    }
    Finding finding =
        new Finding(
            kind,
            words.get(),
            place.block,
            place.thread,
            place.line,
            other == null ? null : other.block,
            other == null ? null : other.thread,
            other == null ? null : other.line,
            target.space,
            target.address,
            target.bytes,
            1);
    entries.put(key, new Entry(finding));
  }

  public List<Finding> build() {
    List<Finding> findings = new ArrayList<>();
    for (Entry entry : entries.values()) {
      Finding f = entry.first;
      findings.add(
          new Finding(
              f.kind(),
              f.message(),
              f.block(),
              f.thread(),
              f.line(),
              f.otherBlock(),
              f.otherThread(),
              f.otherLine(),
              f.space(),
              f.address(),
              f.bytes(),
              entry.count));
    }
    return findings;
  }
}
