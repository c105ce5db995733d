/** Settings of an allocator, and the computation of sizes. */
@NullMarked
package org.vramkit.pool.caching.internal.option;

import org.jspecify.annotations.NullMarked;
