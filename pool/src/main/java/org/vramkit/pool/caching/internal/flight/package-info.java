/** Events of the JVM's flight recorder and beans of its management, where these are there. */
@NullMarked
package org.vramkit.pool.caching.internal.flight;

import org.jspecify.annotations.NullMarked;
