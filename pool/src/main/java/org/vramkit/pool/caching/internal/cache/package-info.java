/** Free blocks near at hand, by thread and by stream. */
@NullMarked
package org.vramkit.pool.caching.internal.cache;

import org.jspecify.annotations.NullMarked;
