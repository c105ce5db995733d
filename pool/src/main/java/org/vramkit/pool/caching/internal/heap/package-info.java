/** The memory of a device in free ranges, split, merged, grown and given back. */
@NullMarked
package org.vramkit.pool.caching.internal.heap;

import org.jspecify.annotations.NullMarked;
