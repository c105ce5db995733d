/** Measures the time from a program's start to its first allocation. */
@NullMarked
package org.vramkit.bench.start;

import org.jspecify.annotations.NullMarked;
