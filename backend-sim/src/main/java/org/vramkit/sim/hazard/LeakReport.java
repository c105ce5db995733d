package org.vramkit.sim.hazard;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.vramkit.api.units.ByteSize;

/**
 * All that is still held, as text on one screen and as JSON.
 *
 * @param leaks in the order in which they were taken
 */
public record LeakReport(List<Leak> leaks) {
  /** The section of the documentation about leaks. */
  public static final String LINK = "docs/simulator.md#leak";

  private static final int FRAMES = 3;

  /** So many are listed one by one, so that all of the text has at most 40 lines with stacks. */
  private static final int LISTED = 9;

  /** Copies the list. */
  public LeakReport {
    leaks = List.copyOf(Objects.requireNonNull(leaks, "leaks"));
  }

  /** Returns whether nothing is held. */
  public boolean isEmpty() {
    return leaks.isEmpty();
  }

  /**
   * All of them, what users hold before what is held for it: the blocks of pools, then all that is
   * beneath none, then mappings, then physical memory and reservations; otherwise in the order in
   * which they were taken.
   */
  public List<Leak> getUsersFirst() {
    return leaks.stream().sorted(Comparator.comparingInt(leak -> leak.kind().getDepth())).toList();
  }

  /** How many of each kind are held; kinds of which there are none are left out. */
  public Map<LeakKind, Long> getCounts() {
    return leaks.stream()
        .collect(
            Collectors.groupingBy(
                Leak::kind, () -> new EnumMap<>(LeakKind.class), Collectors.counting()));
  }

  /** Bytes held of a kind; 0 for what has no size. */
  public long getBytes(LeakKind kind) {
    Objects.requireNonNull(kind, "kind");
    return leaks.stream().filter(leak -> leak.kind() == kind).mapToLong(Leak::bytes).sum();
  }

  /** The same as one JSON object: counts and bytes of each kind, then every leak. */
  public String toJson() {
    return ReportJson.of(this);
  }

  /**
   * Counts and bytes of each kind, then the first few of {@link #getUsersFirst} with their stacks.
   */
  @Override
  public String toString() {
    if (leaks.isEmpty()) {
      return "nothing is left";
    }
    StringBuilder text = new StringBuilder("left behind: ");
    text.append(
        getCounts().entrySet().stream()
            .map(entry -> summary(entry.getKey(), entry.getValue()))
            .collect(Collectors.joining(", ")));
    text.append('\n');
    getUsersFirst().stream()
        .limit(LISTED)
        .forEach(leak -> text.append("  ").append(leak.describe(FRAMES)).append('\n'));
    if (leaks.size() > LISTED) {
      text.append("  and ").append(leaks.size() - LISTED).append(" more\n");
    }
    String remedy = remedy();
    text.append(remedy.isEmpty() ? "" : "  remedy " + remedy + '\n');
    text.append("  see ").append(LINK).append('\n');
    return text.toString();
  }

  /** What to close first, where much is held by one thing; empty where each speaks for itself. */
  private String remedy() {
    Map<LeakKind, Long> counts = getCounts();
    String blocks = counts.containsKey(LeakKind.BLOCK) ? "close the blocks, then " : "";
    String pages =
        counts.containsKey(LeakKind.RESERVATION)
            ? ": a reservation, its mappings and the physical memory are mostly one"
                + " CachingAllocator's, and go with it"
            : "";
    return blocks.isEmpty() && pages.isEmpty()
        ? ""
        : blocks + "close the allocator they came from" + pages;
  }

  private String summary(LeakKind kind, long count) {
    long bytes = getBytes(kind);
    return count
        + " x "
        + kind.getWords()
        + (bytes == 0 ? "" : " (" + ByteSize.format(bytes) + ")");
  }
}
