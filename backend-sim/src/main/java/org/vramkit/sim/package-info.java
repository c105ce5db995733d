/** Placeholder. */
@NullMarked
package org.vramkit.sim;

import org.jspecify.annotations.NullMarked;
