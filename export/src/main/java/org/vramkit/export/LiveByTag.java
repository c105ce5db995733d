package org.vramkit.export;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.vramkit.api.allocator.TagUsage;

/**
 * Live bytes of tags while a recording is written. A program may name tags by its requests, and a
 * reader finds none among thousands of tracks: so those that peaked highest are counted each by
 * itself, and the others together. For one thread.
 */
final class LiveByTag {
  /** Tags with a counter of their own. */
  static final int MOST = 64;

  private final Map<String, Long> live = new HashMap<>();
  private final Set<String> own = new HashSet<>();

  /**
   * Nothing is live.
   *
   * @param usages what is known of the end; tags beyond these come first come, first served
   */
  LiveByTag(List<TagUsage> usages) {
    usages.stream()
        .sorted(Comparator.comparingLong(TagUsage::peakBytes).reversed())
        .limit(MOST)
        .forEach(each -> own.add(each.tag()));
  }

  /** Returns the name under which a tag is counted. */
  String nameOf(String tag) {
    if (own.contains(tag)) {
      return tag;
    }
    return own.size() < MOST && own.add(tag) ? tag : TagUsage.OTHERS;
  }

  /** Returns the live bytes of a name after a change. */
  long add(String name, long change) {
    return live.merge(name, change, Long::sum);
  }
}
