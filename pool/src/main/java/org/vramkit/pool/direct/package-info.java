/** Allocators without a cache, as a baseline and a fallback. */
@NullMarked
package org.vramkit.pool.direct;

import org.jspecify.annotations.NullMarked;
