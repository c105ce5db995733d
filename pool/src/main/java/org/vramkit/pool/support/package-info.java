/**
 * Shared by the pools: clocks of streams, waits, leases, statistics, the base of simple allocators.
 * Not exported.
 */
@NullMarked
package org.vramkit.pool.support;

import org.jspecify.annotations.NullMarked;
