package org.vramkit.pool.caching.internal.page;

/** Takes a range of addresses. */
@FunctionalInterface
public interface RangeVisitor {
  void visit(long from, long to);
}
