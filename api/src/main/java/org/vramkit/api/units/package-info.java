/** Checked arithmetic, parsing and formatting of sizes in bytes and of counts. */
@NullMarked
package org.vramkit.api.units;

import org.jspecify.annotations.NullMarked;
