package org.vramkit.pool.support;

import org.jspecify.annotations.Nullable;

/**
 * An intrusive doubly linked list: nodes hold its links. Adding or removing a node allocates
 * nothing, so it cannot fail halfway when the Java heap runs out, as the linked collections of the
 * JDK can. Not thread-safe.
 */
final class Chain<N extends Chain.Node<N>> {
  /** The links of a node. */
  abstract static class Node<N extends Node<N>> {
    @Nullable N previous;
    @Nullable N next;
    @Nullable Chain<N> chain;

    /** Returns whether the node is in a chain. */
    final boolean isLinked() {
      return chain != null;
    }
  }

  @Nullable N first;
  private @Nullable N last;

  boolean isEmpty() {
    return first == null;
  }

  /** Appends a node that is in no chain. */
  void add(N node) {
    node.chain = this;
    node.previous = last;
    if (last == null) {
      first = node;
    } else {
      last.next = node;
    }
    last = node;
  }

  /**
   * Removes a node.
   *
   * @return false if it is not in this chain
   */
  boolean remove(N node) {
    if (node.chain != this) {
      return false;
    }
    N before = node.previous;
    N after = node.next;
    if (before == null) {
      first = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.previous = before;
    }
    node.chain = null;
    node.previous = null;
    node.next = null;
    return true;
  }
}
