/**
 * Shared by the pools: clocks of streams, waiting, lending, figures, the frame of a call. Not
 * exported.
 */
@NullMarked
package org.vramkit.pool.support;

import org.jspecify.annotations.NullMarked;
