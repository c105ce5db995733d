/** Statistics: reserved and live memory, by cache, pool and tag. */
@NullMarked
package org.vramkit.pool.caching.internal.stats;

import org.jspecify.annotations.NullMarked;
