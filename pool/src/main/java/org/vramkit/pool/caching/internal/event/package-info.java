/** What an allocator tells those who record it. */
@NullMarked
package org.vramkit.pool.caching.internal.event;

import org.jspecify.annotations.NullMarked;
