/** Scratch memory for library calls, cached by size class and leased in stream order. */
@NullMarked
package org.vramkit.pool.workspace;

import org.jspecify.annotations.NullMarked;
