package org.vramkit.tools.trace;

/** The texts that the origins of one file name by number. */
final class Origins {
  private static final int MAX_TAGS = 1 << 16;
  private static final int MAX_THREADS = 1 << 16;

  final Labels tags;
  final Labels threads;
  final Stacks stacks;

  Origins(Position position) {
    tags = new Labels(MAX_TAGS, "tags", position);
    threads = new Labels(MAX_THREADS, "threads", position);
    stacks = new Stacks(position);
  }
}
