/**
 * Decorators of allocators, one concern each: limits, statistics of a scope, tracking, red zones,
 * traces, retries. They can be stacked in any order.
 */
@NullMarked
package org.vramkit.pool.decorator;

import org.jspecify.annotations.NullMarked;
