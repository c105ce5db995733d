package org.vramkit.export;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.vramkit.api.allocator.TagUsage;

/**
 * Counts live bytes by tag while a recording is written. A program may use thousands of tags, too
 * many for separate tracks: the tags with the highest peaks have counters of their own, the others
 * share one. Not thread-safe.
 */
final class LiveByTag {
  /** Maximum number of tags with a counter of their own. */
  static final int MAX_TAGS = 64;

  private final Map<String, Long> live = new HashMap<>();
  private final Set<String> own = new HashSet<>();

  /**
   * Creates counters of 0.
   *
   * @param usages the final usage by tag; free counters go to other tags in order of appearance
   */
  LiveByTag(List<TagUsage> usages) {
    usages.stream()
        .sorted(Comparator.comparingLong(TagUsage::peakBytes).reversed())
        .limit(MAX_TAGS)
        .forEach(each -> own.add(each.tag()));
  }

  /** Returns the name under which a tag is counted. */
  String nameOf(String tag) {
    if (own.contains(tag)) {
      return tag;
    }
    return own.size() < MAX_TAGS && own.add(tag) ? tag : TagUsage.OTHERS;
  }

  /** Returns the live bytes of a name after a change. */
  long add(String name, long change) {
    return live.merge(name, change, Long::sum);
  }
}
