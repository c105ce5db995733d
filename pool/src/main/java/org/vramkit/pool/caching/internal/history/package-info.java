/** The latest events of an allocator, within a bounded number of bytes. */
@NullMarked
package org.vramkit.pool.caching.internal.history;

import org.jspecify.annotations.NullMarked;
