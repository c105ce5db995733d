/** What the simple allocators share: handles, books, and the frame around a call. Not exported. */
@NullMarked
package org.vramkit.pool.support;

import org.jspecify.annotations.NullMarked;
