/**
 * Shared code of the pools: clocks of streams, waits, leases, statistics, and the base of simple
 * allocators. Not exported.
 */
@NullMarked
package org.vramkit.pool.support;

import org.jspecify.annotations.NullMarked;
