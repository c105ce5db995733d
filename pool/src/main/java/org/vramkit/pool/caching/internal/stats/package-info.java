/** What is reserved and what is live, counted. */
@NullMarked
package org.vramkit.pool.caching.internal.stats;

import org.jspecify.annotations.NullMarked;
