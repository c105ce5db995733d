/** What an allocator was set to, and how sizes follow from it. */
@NullMarked
package org.vramkit.pool.caching.internal.option;

import org.jspecify.annotations.NullMarked;
