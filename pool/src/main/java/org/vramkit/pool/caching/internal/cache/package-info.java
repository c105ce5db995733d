/** The first tier: caches of free blocks by thread and stream. */
@NullMarked
package org.vramkit.pool.caching.internal.cache;

import org.jspecify.annotations.NullMarked;
