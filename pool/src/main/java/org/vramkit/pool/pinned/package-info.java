/** A pool of page-locked host memory for asynchronous copies. */
@NullMarked
package org.vramkit.pool.pinned;

import org.jspecify.annotations.NullMarked;
