/** Streams that are made once and handed out in turn. */
@NullMarked
package org.vramkit.pool.stream;

import org.jspecify.annotations.NullMarked;
