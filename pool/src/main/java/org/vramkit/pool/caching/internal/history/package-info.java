/** The latest events of an allocator, encoded in a bounded amount of memory. */
@NullMarked
package org.vramkit.pool.caching.internal.history;

import org.jspecify.annotations.NullMarked;
