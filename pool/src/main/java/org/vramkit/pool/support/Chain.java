package org.vramkit.pool.support;

import org.jspecify.annotations.Nullable;

/**
 * A list whose nodes hold its links. To add or remove a node needs no memory of the JVM, so it
 * cannot fail halfway, as the linked collections of the JDK do where the Java heap runs out: these
 * may then list what they no longer find. Not safe for threads.
 *
 * @param <N> a node, which is in one chain at most
 */
final class Chain<N extends Chain.Node<N>> {
  /** The links of a node. */
  abstract static class Node<N extends Node<N>> {
    @Nullable N previous;
    @Nullable N next;
    @Nullable Chain<N> chain;

    /** Tells whether the node is in a chain. */
    final boolean isLinked() {
      return chain != null;
    }
  }

  @Nullable N first;
  private @Nullable N last;

  boolean isEmpty() {
    return first == null;
  }

  /** Adds a node, which is in no chain, at the end. */
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
   * Takes a node out.
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
