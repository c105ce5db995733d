package org.vramkit.pool.caching;

/** The cache that a block was taken from, or would have been, and goes back to. */
interface BlockHome {}
