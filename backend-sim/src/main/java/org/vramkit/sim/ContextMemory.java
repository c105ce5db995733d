package org.vramkit.sim;

import org.vramkit.sim.memory.PhysicalBudget;
import org.vramkit.sim.memory.RangeAddresses;

/**
 * The memory that the driver takes for streams and graphs, beside that of the context itself, as
 * measured on an H200 with driver 580. It takes whole pages, and keeps those of closed streams and
 * graphs for later ones; some of them go when memory runs out. Needs are in units of four parts:
 *
 * <ul>
 *   <li>queues of commands, 64 KiB: a stream has 8, a graph 1
 *   <li>what the driver knows of a stream or graph, 16 KiB: 3 each
 *   <li>nodes of graphs that run as kernels; those of a graph with more than 64 share a page
 *   <li>lists of these nodes, 512 bytes: 1 for each, and 1 for the graph
 * </ul>
 *
 * Guarded by the backend's lock.
 */
final class ContextMemory {
  private static final int NODES_OF_PAGE = 1152;
  private static final int SMALL_GRAPH = 64;

  /** By part: the units of a page. */
  private static final long[] OF_PAGE = {32, 128, NODES_OF_PAGE, 4096};

  /** By part: the units that every context has. */
  private static final long[] FIRST = {8, 107, 1120, 4096};

  /** By part: whether unused pages go when memory runs out. */
  private static final boolean[] GIVES_UP = {true, false, true, false};

  private static final long[] NOTHING = {0, 0, 0, 0};
  private static final long[] STREAM = {8, 3, 0, 0};

  private final long[] used = new long[OF_PAGE.length];
  private final long[] pages = new long[OF_PAGE.length];
  private final PhysicalBudget budget;

  ContextMemory(PhysicalBudget budget) {
    this.budget = budget;
  }

  /** Returns what a stream needs. */
  static long[] ofStream() {
    return STREAM;
  }

  /**
   * Returns what a graph needs.
   *
   * @param nodes the number of its nodes
   * @param kernels how many of them the device runs as kernels
   */
  static long[] ofGraph(int nodes, int kernels) {
    return nodes == 0
        ? NOTHING
        : new long[] {1, 3, unitsOf(kernels), kernels == 0 ? 0 : kernels + 1L};
  }

  private static int unitsOf(int kernels) {
    if (kernels <= SMALL_GRAPH) {
      return kernels;
    }
    int whole = (kernels + NODES_OF_PAGE - 1) / NODES_OF_PAGE * NODES_OF_PAGE;
    int graphs = whole / kernels;
    return (whole + graphs - 1) / graphs;
  }

  /** Takes what a stream or graph needs; returns false if there is too little memory. */
  boolean take(long[] need) {
    long missing = 0;
    for (int part = 0; part < used.length; part++) {
      missing += missing(part, need[part]);
    }
    if (missing > 0 && !budget.growOwn(missing * RangeAddresses.PAGE)) {
      return false;
    }
    for (int part = 0; part < used.length; part++) {
      pages[part] += missing(part, need[part]);
      used[part] += need[part];
    }
    return true;
  }

  /** Returns the pages of a part that more units need beyond those that it has. */
  private long missing(int part, long units) {
    return Math.max(0, needed(part, used[part] + units) - pages[part]);
  }

  private static long needed(int part, long units) {
    return (Math.max(0, units - FIRST[part]) + OF_PAGE[part] - 1) / OF_PAGE[part];
  }

  /** Returns what a stream or graph has used, whose pages remain. */
  void leave(long[] need) {
    for (int part = 0; part < used.length; part++) {
      used[part] -= need[part];
    }
  }

  /** Gives up unused pages, because memory runs out. */
  void giveUp() {
    for (int part = 0; part < used.length; part++) {
      long unused = GIVES_UP[part] ? pages[part] - needed(part, used[part]) : 0;
      pages[part] -= unused;
      budget.shrinkOwn(unused * RangeAddresses.PAGE);
    }
  }
}
