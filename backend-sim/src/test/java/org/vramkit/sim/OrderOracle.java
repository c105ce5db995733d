package org.vramkit.sim;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Knows of a whole program what comes before what, as a graph that is closed once the program is
 * over. It is as simple as it is slow, so that the checker can be compared with it.
 */
final class OrderOracle {
  /** A point of a program: work, a wait, or what the host does. */
  static final class Node {
    private final int number;
    final String name;
    private final List<Node> after = new ArrayList<>();
    private final List<Touched> touched = new ArrayList<>();
    private BitSet before = new BitSet();

    private Node(int number, String name) {
      this.number = number;
      this.name = name;
    }

    /** It comes after another point. */
    Node after(Node earlier) {
      after.add(earlier);
      return this;
    }

    /** It reads or writes a range. */
    Node touches(long start, long bytes, boolean writes) {
      touched.add(new Touched(start, start + bytes, writes));
      return this;
    }

    boolean isBefore(Node other) {
      return other.before.get(number);
    }

    private boolean isInConflict(Node other) {
      return touched.stream().anyMatch(mine -> other.touched.stream().anyMatch(mine::conflicts));
    }
  }

  private record Touched(long start, long end, boolean writes) {
    boolean conflicts(Touched other) {
      return start < other.end && other.start < end && (writes || other.writes);
    }
  }

  /** Two points that touch the same bytes, and nothing orders them. */
  record Race(Node one, Node other) {
    boolean isOf(String first, String second) {
      return (one.name.equals(first) && other.name.equals(second))
          || (one.name.equals(second) && other.name.equals(first));
    }

    @Override
    public String toString() {
      return one.name + " and " + other.name;
    }
  }

  private final List<Node> nodes = new ArrayList<>();

  Node node(String name) {
    Node node = new Node(nodes.size(), name);
    nodes.add(node);
    return node;
  }

  /** Whether one of some points has to be passed before another one, as far as is known by now. */
  boolean isBehind(Node node, List<Node> closed) {
    close();
    return closed.stream().anyMatch(each -> each.equals(node) || each.isBefore(node));
  }

  /** All races of the program. */
  List<Race> races() {
    close();
    List<Race> races = new ArrayList<>();
    for (Node one : nodes) {
      for (Node other : nodes.subList(one.number + 1, nodes.size())) {
        if (!one.isBefore(other) && !other.isBefore(one) && one.isInConflict(other)) {
          races.add(new Race(one, other));
        }
      }
    }
    return races;
  }

  /** A gate is opened later than what waits for it is queued, so one round is not enough. */
  private void close() {
    boolean grown = true;
    while (grown) {
      grown = false;
      for (Node node : nodes) {
        BitSet before = (BitSet) node.before.clone();
        for (Node earlier : node.after) {
          before.set(earlier.number);
          before.or(earlier.before);
        }
        grown |= !before.equals(node.before);
        node.before = before;
      }
    }
  }
}
