package org.vramkit.sim;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.vramkit.sim.check.Checker;
import org.vramkit.sim.check.OwnedBlock;
import org.vramkit.sim.check.Snapshot;
import org.vramkit.sim.check.StreamClock;
import org.vramkit.sim.timeline.Point;

/** A launch of a graph, with a queue for each branch. Guarded by the backend's lock. */
final class GraphLaunch {
  private record Reached(Point point, Snapshot known) {}

  private final Checker checker;
  private final String graph;
  private final List<StreamQueue> queues;
  private final Map<Integer, Reached> marks = new HashMap<>();
  private final Set<OwnedBlock> lasting;

  /**
   * Creates a launch; the first queue is that of the launching stream, and {@code lasting} are the
   * blocks that exist for all launches.
   */
  GraphLaunch(Checker checker, String graph, List<StreamQueue> queues, Set<OwnedBlock> lasting) {
    this.checker = checker;
    this.graph = graph;
    this.queues = queues;
    this.lasting = lasting;
  }

  /** Returns the name of a piece of the graph's work in reports. */
  String nameOf(String work) {
    return work + " of " + graph;
  }

  /** Returns this launch as the work of one branch sees it that was captured alone. */
  GraphLaunch on(int branch) {
    return new GraphLaunch(checker, graph, List.of(queue(branch)), lasting);
  }

  StreamQueue queue(int branch) {
    return queues.get(branch);
  }

  void mark(int mark, int branch) {
    StreamQueue queue = queue(branch);
    checker.follow(queue.clock);
    marks.put(mark, new Reached(queue.tail(), queue.clock.snapshot()));
  }

  void await(int branch, int mark, boolean byPool) {
    Reached reached = marks.get(mark);
    if (reached == null) {
      return;
    }
    if (byPool) {
      checker.hosts.enterPool();
    }
    try {
      queue(branch).waitUntil(reached.point, reached.known);
    } finally {
      if (byPool) {
        checker.hosts.leavePool();
      }
    }
  }

  void begins(OwnedBlock block, int branch) {
    if (!lasting.contains(block)) {
      checker.graphs.begins(block, queue(branch).clock);
    }
  }

  void ends(OwnedBlock block, int branch, List<Integer> users) {
    List<StreamClock> clocks = users.stream().map(user -> queue(user).clock).toList();
    checker.graphs.ends(block, queue(branch).clock, clocks);
  }
}
