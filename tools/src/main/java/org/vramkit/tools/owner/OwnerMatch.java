package org.vramkit.tools.owner;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Matches the owners of two recordings of one program, between which its sources may have changed.
 *
 * <p>An owner is a line of a function. Lines move when code above them changes. Within a function,
 * the lines of the second recording are those of the first, moved by the distance at which most of
 * them match; the shortest at a tie. The others match in order if as many are left on both sides.
 * Owners in other folders match last, because a program may run from another checkout.
 */
public final class OwnerMatch {
  private static final long MAX_DISTANCES = 1_000_000;

  // A compiler numbers lambdas in the order of the source.
  private static final Pattern LAMBDA = Pattern.compile("(lambda\\$.*)\\$\\d+$");

  /**
   * Two owners that are one.
   *
   * @param before number of the owner in the first recording; -1 if it is new
   * @param after number of the owner in the second recording; -1 if it is gone
   */
  public record Pair(int before, int after) {}

  /** The owner of one recording. */
  private record Owner(int number, Frame frame) {
    String function() {
      return LAMBDA.matcher(frame.name()).replaceFirst("$1") + "(" + frame.file();
    }

    String functionInAnyFolder() {
      String file = frame.file();
      return LAMBDA.matcher(frame.name()).replaceFirst("$1")
          + "("
          + file.substring(file.lastIndexOf('/') + 1);
    }
  }

  private final List<Pair> pairs = new ArrayList<>();

  private OwnerMatch() {}

  /**
   * Returns each owner of both recordings once.
   *
   * @param before owners of the first recording, as {@code name(file:line)}, each once
   * @param after owners of the second recording
   */
  public static List<Pair> of(List<String> before, List<String> after) {
    OwnerMatch match = new OwnerMatch();
    List<Owner> left = owners(before);
    List<Owner> right = owners(after);
    match.pair(left, right, Owner::function);
    match.pair(left, right, Owner::functionInAnyFolder);
    left.forEach(each -> match.pairs.add(new Pair(each.number(), -1)));
    right.forEach(each -> match.pairs.add(new Pair(-1, each.number())));
    return match.pairs;
  }

  private static List<Owner> owners(List<String> texts) {
    List<Owner> owners = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      owners.add(new Owner(i, Frame.parse(texts.get(i))));
    }
    return owners;
  }

  /** Matches the owners of each function and removes them from both lists. */
  private void pair(List<Owner> left, List<Owner> right, Function<Owner, String> function) {
    Map<String, List<Owner>> before = byFunction(left, function);
    Map<String, List<Owner>> after = byFunction(right, function);
    before.forEach(
        (name, lines) -> {
          List<Owner> others = after.get(name);
          if (others != null) {
            pairLines(lines, others);
          }
        });
    left.clear();
    before.values().forEach(left::addAll);
    right.clear();
    after.values().forEach(right::addAll);
  }

  /** Groups owners by function, with their lines in order. */
  private static Map<String, List<Owner>> byFunction(
      List<Owner> owners, Function<Owner, String> function) {
    Map<String, List<Owner>> grouped = new LinkedHashMap<>();
    owners.forEach(
        each -> grouped.computeIfAbsent(function.apply(each), key -> new ArrayList<>()).add(each));
    Comparator<Owner> byLine = Comparator.comparingInt(each -> each.frame().line());
    grouped.values().forEach(lines -> lines.sort(byLine));
    return grouped;
  }

  /** Matches the lines of one function, and leaves those without a match in the lists. */
  private void pairLines(List<Owner> before, List<Owner> after) {
    int distance = bestDistance(before, after);
    Map<Integer, Owner> byLine = new LinkedHashMap<>();
    after.forEach(each -> byLine.put(each.frame().line() - distance, each));
    List<Owner> unmatched = new ArrayList<>();
    Set<Owner> matched = new HashSet<>();
    for (Owner each : before) {
      Owner moved = byLine.remove(each.frame().line());
      if (moved == null) {
        unmatched.add(each);
      } else {
        matched.add(moved);
        pairs.add(new Pair(each.number(), moved.number()));
      }
    }
    after.removeAll(matched);
    before.clear();
    if (unmatched.size() == after.size()) {
      for (int i = 0; i < unmatched.size(); i++) {
        pairs.add(new Pair(unmatched.get(i).number(), after.get(i).number()));
      }
      after.clear();
    } else {
      before.addAll(unmatched);
    }
  }

  /** Returns the distance by which lines moved; 0 if there are too many lines to tell. */
  private static int bestDistance(List<Owner> before, List<Owner> after) {
    if ((long) before.size() * after.size() > MAX_DISTANCES) {
      return 0;
    }
    Map<Integer, Integer> matches = new LinkedHashMap<>();
    for (Owner first : before) {
      for (Owner second : after) {
        matches.merge(second.frame().line() - first.frame().line(), 1, Integer::sum);
      }
    }
    Comparator<Map.Entry<Integer, Integer>> byMatches = Map.Entry.comparingByValue();
    return matches.entrySet().stream()
        .max(byMatches.thenComparing(each -> -Math.abs(each.getKey())))
        .map(Map.Entry::getKey)
        .orElse(0);
  }
}
