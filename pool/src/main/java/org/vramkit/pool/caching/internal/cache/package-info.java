/** The first tier: caches of free blocks by thread and stream, and the handles of allocations. */
@NullMarked
package org.vramkit.pool.caching.internal.cache;

import org.jspecify.annotations.NullMarked;
