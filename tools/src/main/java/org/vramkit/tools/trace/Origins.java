package org.vramkit.tools.trace;

/** The tables of tags, threads and stacks to which the origins of a file refer. */
final class Origins {
  private static final int MAX_TAGS = 1 << 16;
  private static final int MAX_THREADS = 1 << 16;

  final StringTable tags = new StringTable(MAX_TAGS);
  final StringTable threads = new StringTable(MAX_THREADS);
  final StackTable stacks = new StackTable();

  /** Reports the entries beyond the tables' limits as repairs. */
  void count(TraceBuilder builder) {
    builder.repair(Repair.OTHER_TAGS, tags.getOthers());
    builder.repair(Repair.OTHER_THREADS, threads.getOthers());
    builder.repair(Repair.OTHER_STACKS, stacks.getOthers());
  }
}
