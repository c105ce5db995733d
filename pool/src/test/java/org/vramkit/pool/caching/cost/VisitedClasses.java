package org.vramkit.pool.caching.cost;

import java.util.Set;
import java.util.TreeSet;

/** The files of the pools whose code has run; for one thread. */
public final class VisitedClasses {
  private static final Set<String> SEEN = new TreeSet<>();

  private VisitedClasses() {}

  /** Called by each method of a {@link WatchedCopy}. */
  public static void enter(String type) {
    int nested = type.indexOf('$');
    SEEN.add(nested < 0 ? type : type.substring(0, nested));
  }

  /** Those that ran in an action. */
  static Set<String> of(Runnable action) {
    SEEN.clear();
    action.run();
    return new TreeSet<>(SEEN);
  }
}
