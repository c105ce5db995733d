/** Flight recorder events and JMX beans of allocators, if the JVM has them. */
@NullMarked
package org.vramkit.pool.caching.internal.flight;

import org.jspecify.annotations.NullMarked;
