package org.vramkit.tools.usage;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.vramkit.api.owner.ProgramCode;
import org.vramkit.api.units.ByteSize;
import org.vramkit.tools.owner.StackOwners;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.TraceDetails;

/** Divides the allocations of a trace into named groups. */
final class Grouping {
  private static final String NO_TAG = "no tag";

  // The classes of the page's groups.js: sizes below each limit, and the others.
  private static final long[] SIZE_LIMITS = {
    4 * ByteSize.KIB,
    64 * ByteSize.KIB,
    ByteSize.MIB,
    4 * ByteSize.MIB,
    16 * ByteSize.MIB,
    64 * ByteSize.MIB,
    256 * ByteSize.MIB,
    ByteSize.GIB
  };
  private static final List<String> SIZE_CLASSES =
      List.of(
          "below 4 KiB",
          "4 to 64 KiB",
          "64 KiB to 1 MiB",
          "1 to 4 MiB",
          "4 to 16 MiB",
          "16 to 64 MiB",
          "64 to 256 MiB",
          "256 MiB to 1 GiB",
          "1 GiB and more");

  /** Properties of allocations by which they can be divided. */
  enum By {
    OWNER("owner"),
    TAG("tag"),
    /** The requested size, for recordings that know nothing else. */
    SIZE("size");

    private final String noun;

    By(String noun) {
      this.noun = noun;
    }

    String getNoun() {
      return noun;
    }

    /** Returns whether a trace has more than one value of this property. */
    boolean isIn(Trace trace) {
      return switch (this) {
        case OWNER -> details(trace).getStacks().size() > 1;
        case TAG -> details(trace).getTags().size() > 1;
        case SIZE -> true;
      };
    }
  }

  private final List<String> names;
  private final int[] groups;

  private Grouping(List<String> names, int[] groups) {
    this.names = names;
    this.groups = groups;
  }

  /** Returns whether a group's name is that of an owner, a tag or a size. */
  static boolean isName(String name) {
    return !name.equals(ProgramCode.NO_STACK)
        && !name.equals(NO_TAG)
        && !name.equals(StackOwners.NO_OWNER);
  }

  /** Returns the name of each group. */
  List<String> getNames() {
    return names;
  }

  /** Returns the number of the group of each allocation. */
  int[] getGroups() {
    return groups;
  }

  static Grouping of(Trace trace, By by) {
    return switch (by) {
      case OWNER -> byOwner(trace);
      case TAG -> byTag(trace);
      case SIZE -> bySize(trace);
    };
  }

  static TraceDetails details(Trace trace) {
    TraceDetails details = trace.getDetails();
    if (details == null) {
      throw new IllegalArgumentException(trace.getName() + " was read without details");
    }
    return details;
  }

  private static Grouping byOwner(Trace trace) {
    TraceDetails details = details(trace);
    List<String> frames = details.getFrames();
    StackOwners owners = new StackOwners(frames);
    Map<String, Integer> numbers = new LinkedHashMap<>();
    List<int[]> stacks = details.getStacks();
    int[] ofStack = new int[stacks.size()];
    for (int i = 0; i < ofStack.length; i++) {
      int[] shown = owners.upToOwner(stacks.get(i));
      int owner = shown.length == 0 ? -1 : shown[shown.length - 1];
      String name =
          owner < 0
              ? ProgramCode.NO_STACK
              : owner == owners.getNoOwner() ? StackOwners.NO_OWNER : frames.get(owner);
      ofStack[i] = numbers.computeIfAbsent(name, key -> numbers.size());
    }
    int[] groups = new int[trace.getAllocationCount()];
    Arrays.setAll(groups, i -> ofStack[details.getOrigin(i).stack()]);
    return new Grouping(List.copyOf(numbers.keySet()), groups);
  }

  private static Grouping byTag(Trace trace) {
    TraceDetails details = details(trace);
    List<String> tags = details.getTags();
    Map<String, Integer> numbers = new LinkedHashMap<>();
    int[] ofTag = new int[tags.size()];
    Arrays.setAll(
        ofTag,
        i ->
            numbers.computeIfAbsent(
                tags.get(i).isEmpty() ? NO_TAG : tags.get(i), key -> numbers.size()));
    int[] groups = new int[trace.getAllocationCount()];
    Arrays.setAll(groups, i -> ofTag[details.getOrigin(i).tag()]);
    return new Grouping(List.copyOf(numbers.keySet()), groups);
  }

  private static Grouping bySize(Trace trace) {
    int[] groups = new int[trace.getAllocationCount()];
    Arrays.setAll(groups, i -> sizeClass(trace.getSize(i)));
    return new Grouping(SIZE_CLASSES, groups);
  }

  private static int sizeClass(long size) {
    int found = Arrays.binarySearch(SIZE_LIMITS, size);
    return found >= 0 ? found + 1 : -found - 1;
  }
}
