/** The caching allocator. */
@NullMarked
package org.vramkit.pool.caching;

import org.jspecify.annotations.NullMarked;
