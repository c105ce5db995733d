/** A pool of streams, handed out round-robin. */
@NullMarked
package org.vramkit.pool.stream;

import org.jspecify.annotations.NullMarked;
