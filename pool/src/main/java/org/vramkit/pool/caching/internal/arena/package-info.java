/** One pool: the search for a block through the layers below, and its reports. */
@NullMarked
package org.vramkit.pool.caching.internal.arena;

import org.jspecify.annotations.NullMarked;
