/** The caching allocator, with private pools, snapshots, history and leak detection. */
@NullMarked
package org.vramkit.pool.caching;

import org.jspecify.annotations.NullMarked;
