/** Finds handles that nobody closes. */
@NullMarked
package org.vramkit.pool.caching.internal.leak;

import org.jspecify.annotations.NullMarked;
