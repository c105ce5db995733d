/** Events of the JVM's flight recorder, where there is one. */
@NullMarked
package org.vramkit.pool.caching.internal.flight;

import org.jspecify.annotations.NullMarked;
