/** The observer of an allocator, for those that record it. */
@NullMarked
package org.vramkit.pool.caching.internal.event;

import org.jspecify.annotations.NullMarked;
