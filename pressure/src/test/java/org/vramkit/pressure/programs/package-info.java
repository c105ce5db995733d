/** Random correct programs over all kinds of memory. */
@NullMarked
package org.vramkit.pressure.programs;

import org.jspecify.annotations.NullMarked;
