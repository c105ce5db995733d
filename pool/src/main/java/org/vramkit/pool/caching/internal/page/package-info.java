/** Memory beneath addresses: pages, and the extents that lie there. */
@NullMarked
package org.vramkit.pool.caching.internal.page;

import org.jspecify.annotations.NullMarked;
