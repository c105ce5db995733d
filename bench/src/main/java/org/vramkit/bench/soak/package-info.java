/** A soak test that runs random work on any backend and checks the contents of blocks. */
@NullMarked
package org.vramkit.bench.soak;

import org.jspecify.annotations.NullMarked;
