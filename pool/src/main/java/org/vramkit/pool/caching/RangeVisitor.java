package org.vramkit.pool.caching;

/** Takes a range of addresses. */
@FunctionalInterface
interface RangeVisitor {
  void visit(long from, long to);
}
