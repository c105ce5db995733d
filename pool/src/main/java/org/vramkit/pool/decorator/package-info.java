/**
 * Allocators on top of an allocator, one concern each: limit, statistics of a scope, tracking with
 * stacks, recording a trace, retry when memory runs out. They can be stacked in any order.
 */
@NullMarked
package org.vramkit.pool.decorator;

import org.jspecify.annotations.NullMarked;
