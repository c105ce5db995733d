package org.vramkit.sim;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Locale;

/** Tells what a thread waits for. */
final class Waiting {
  private Waiting() {}

  /** As the end of a sentence about the thread; empty if it waits for nothing. */
  static String words(Thread thread) {
    ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId());
    if (info == null || info.getLockName() == null) {
      return "";
    }
    String owner = info.getLockOwnerName();
    return String.format(
        Locale.ROOT,
        ", which waits for %s%s",
        info.getLockName(),
        owner == null ? "" : ", held by thread " + owner);
  }
}
