/** Detects handles that are never closed. */
@NullMarked
package org.vramkit.pool.caching.internal.leak;

import org.jspecify.annotations.NullMarked;
