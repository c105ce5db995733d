/** One pool: the search for a block through all that is beneath, and what it tells. */
@NullMarked
package org.vramkit.pool.caching.internal.arena;

import org.jspecify.annotations.NullMarked;
