/** Page-locked host memory for asynchronous copies, kept and handed out again. */
@NullMarked
package org.vramkit.pool.pinned;

import org.jspecify.annotations.NullMarked;
