package org.vramkit.ptx.code;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Immediate post-dominators of steps: where paths that part at a branch meet again. By the
 * algorithm of Cooper, Harvey and Kennedy on the reversed graph.
 */
final class PostDominators {
  private final int[][] successors;
  private final int exit;

  /** Positions by reverse postorder from the exit, and the order of each step; -1 if unreached. */
  private final int[] sequence;

  private final int[] order;
  private int count;
  private final int[] dominators;

  private PostDominators(int[][] successors, int exit) {
    this.successors = successors;
    this.exit = exit;
    this.sequence = new int[successors.length];
    this.order = new int[successors.length];
    this.dominators = new int[successors.length];
  }

  /** Returns for each step its immediate post-dominator, or -1 if it has none. */
  static int[] of(int[][] successors, int exit) {
    PostDominators result = new PostDominators(successors, exit);
    result.number();
    result.solve();
    return result.dominators;
  }

  private void number() {
    int[][] predecessors = predecessors();
    Arrays.fill(order, -1);
    int[] next = new int[successors.length];
    boolean[] seen = new boolean[successors.length];
    ArrayDeque<Integer> stack = new ArrayDeque<>();
    stack.push(exit);
    seen[exit] = true;
    int[] postorder = new int[successors.length];
    while (!stack.isEmpty()) {
      int node = stack.element();
      if (next[node] < predecessors[node].length) {
        int other = predecessors[node][next[node]++];
        if (!seen[other]) {
          seen[other] = true;
          stack.push(other);
        }
      } else {
        postorder[count++] = stack.pop();
      }
    }
    for (int i = 0; i < count; i++) {
      sequence[i] = postorder[count - 1 - i];
      order[sequence[i]] = i;
    }
  }

  private int[][] predecessors() {
    int[] sizes = new int[successors.length];
    for (int[] each : successors) {
      for (int other : each) {
        sizes[other]++;
      }
    }
    int[][] result = new int[successors.length][];
    for (int i = 0; i < result.length; i++) {
      result[i] = new int[sizes[i]];
    }
    for (int i = 0; i < successors.length; i++) {
      for (int other : successors[i]) {
        result[other][--sizes[other]] = i;
      }
    }
    return result;
  }

  private void solve() {
    Arrays.fill(dominators, -1);
    dominators[exit] = exit;
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int i = 1; i < count; i++) {
        int node = sequence[i];
        int found = -1;
        for (int other : successors[node]) {
          if (order[other] >= 0 && dominators[other] >= 0) {
            found = found < 0 ? other : meet(found, other);
          }
        }
        if (found != dominators[node]) {
          dominators[node] = found;
          changed = true;
        }
      }
    }
    dominators[exit] = -1;
  }

  private int meet(int first, int second) {
    int one = first;
    int other = second;
    while (one != other) {
      while (order[one] > order[other]) {
        one = dominators[one];
      }
      while (order[other] > order[one]) {
        other = dominators[other];
      }
    }
    return one;
  }
}
