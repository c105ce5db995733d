/** Sizes in bytes: checked arithmetic, reading and printing. */
@NullMarked
package org.vramkit.api.units;

import org.jspecify.annotations.NullMarked;
