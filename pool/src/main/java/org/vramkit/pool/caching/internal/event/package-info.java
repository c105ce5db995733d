/** The observer of an allocator, for the history, the flight recorder and counters. */
@NullMarked
package org.vramkit.pool.caching.internal.event;

import org.jspecify.annotations.NullMarked;
