/** A pool of streams, used round-robin. */
@NullMarked
package org.vramkit.pool.stream;

import org.jspecify.annotations.NullMarked;
