package org.vramkit.pool.caching.internal.heap;

/** The cache from which a block was taken, or would have been taken, and to which it returns. */
public interface BlockCache {}
