package org.vramkit.pool.caching.internal.heap;

/** The cache that a block was taken from, or would have been, and goes back to. */
public interface BlockHome {}
