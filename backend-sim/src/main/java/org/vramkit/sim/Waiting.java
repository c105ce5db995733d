package org.vramkit.sim;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

/** Describes what a thread waits for. */
final class Waiting {
  private Waiting() {}

  /** Returns the end of a sentence about the thread; empty if it waits for nothing. */
  static String words(Thread thread) {
    ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId());
    if (info == null || info.getLockName() == null) {
      return "";
    }
    String owner = info.getLockOwnerName();
    return ", which waits for %s%s"
        .formatted(info.getLockName(), owner == null ? "" : ", held by thread " + owner);
  }
}
