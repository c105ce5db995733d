/** Sizes in bytes: checked arithmetic, reading and printing; counts in words. */
@NullMarked
package org.vramkit.api.units;

import org.jspecify.annotations.NullMarked;
