/** Every allocation a call of the driver: the plain thing to compare with and to fall back to. */
@NullMarked
package org.vramkit.pool.direct;

import org.jspecify.annotations.NullMarked;
