/** How long a program takes to its first allocation. */
@NullMarked
package org.vramkit.bench.start;

import org.jspecify.annotations.NullMarked;
