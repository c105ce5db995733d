package org.vramkit.sim.hazard;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.vramkit.api.units.ByteSize;

/**
 * Everything that is still open, as text on one screen and as JSON.
 *
 * @param leaks in the order of creation
 */
public record LeakReport(List<Leak> leaks) {
  /** The section of the documentation about leaks. */
  public static final String LINK = "docs/simulator.md#leak";

  private static final int FRAMES = 3;

  /** Number of leaks listed one by one, so that the text has at most 40 lines. */
  private static final int LISTED = 9;

  /** Copies the list. */
  public LeakReport {
    leaks = List.copyOf(Objects.requireNonNull(leaks, "leaks"));
  }

  /** Returns whether nothing is open. */
  public boolean isEmpty() {
    return leaks.isEmpty();
  }

  /**
   * Returns all leaks, ordered so that a leak stands before the leaks that it keeps open: first
   * blocks of pools, then everything else, then mappings, then physical memory and reservations.
   * Within a group the order is that of creation.
   */
  public List<Leak> getUsersFirst() {
    return leaks.stream().sorted(Comparator.comparingInt(leak -> leak.kind().getDepth())).toList();
  }

  /** Returns the number of leaks of each kind, without kinds that have none. */
  public Map<LeakKind, Long> getCounts() {
    return leaks.stream()
        .collect(
            Collectors.groupingBy(
                Leak::kind, () -> new EnumMap<>(LeakKind.class), Collectors.counting()));
  }

  /** Returns the open bytes of a kind; 0 for a kind without sizes. */
  public long getBytes(LeakKind kind) {
    Objects.requireNonNull(kind, "kind");
    return leaks.stream().filter(leak -> leak.kind() == kind).mapToLong(Leak::bytes).sum();
  }

  /** Returns one JSON object: counts and bytes of each kind, then every leak. */
  public String toJson() {
    return ReportJson.of(this);
  }

  /**
   * Returns counts and bytes of each kind, then the first few of {@link #getUsersFirst} with their
   * stacks. If blocks of pools are open, the memory that they keep open is listed once for each
   * kind.
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
    List<Leak> listed = listed();
    listed.forEach(leak -> text.append("  ").append(leak.describe(FRAMES)).append('\n'));
    if (leaks.size() > listed.size()) {
      text.append("  and ").append(leaks.size() - listed.size()).append(" more\n");
    }
    String remedy = remedy();
    text.append(remedy.isEmpty() ? "" : "  remedy " + remedy + '\n');
    text.append("  see ").append(LINK).append('\n');
    return text.toString();
  }

  /**
   * Returns the leaks to list. If blocks of pools are open, the memory that they keep open is
   * listed once for each kind, because its lines would hide the blocks.
   */
  private List<Leak> listed() {
    boolean hasBlocks = leaks.stream().anyMatch(leak -> leak.kind() == LeakKind.BLOCK);
    Set<LeakKind> kept = EnumSet.noneOf(LeakKind.class);
    List<Leak> listed = new ArrayList<>();
    for (Leak leak : getUsersFirst()) {
      boolean isKept = hasBlocks && leak.kind().getDepth() > 1;
      if (listed.size() < LISTED && (!isKept || kept.add(leak.kind()))) {
        listed.add(leak);
      }
    }
    return listed;
  }

  /** Returns the remedy if the close of an allocator releases several leaks; empty otherwise. */
  private String remedy() {
    Map<LeakKind, Long> counts = getCounts();
    String blocks = counts.containsKey(LeakKind.BLOCK) ? "close the blocks, then " : "";
    String pages =
        counts.containsKey(LeakKind.RESERVATION)
            ? ", which releases its reservations, mappings and physical memory"
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
