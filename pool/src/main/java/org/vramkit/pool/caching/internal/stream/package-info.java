/** How far streams have come. */
@NullMarked
package org.vramkit.pool.caching.internal.stream;

import org.jspecify.annotations.NullMarked;
