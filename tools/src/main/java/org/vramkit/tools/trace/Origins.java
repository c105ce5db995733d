package org.vramkit.tools.trace;

/** The texts that the origins of one file name by number. */
final class Origins {
  private static final int MAX_TAGS = 1 << 16;
  private static final int MAX_THREADS = 1 << 16;

  final Labels tags = new Labels(MAX_TAGS);
  final Labels threads = new Labels(MAX_THREADS);
  final Stacks stacks = new Stacks();

  /** Counts the entries whose texts were too many. */
  void count(TraceBuilder builder) {
    builder.repair(Repair.OTHER_TAGS, tags.getOthers());
    builder.repair(Repair.OTHER_THREADS, threads.getOthers());
    builder.repair(Repair.OTHER_STACKS, stacks.getOthers());
  }
}
