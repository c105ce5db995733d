/** A long run of random work on any backend that checks every byte's owner. */
@NullMarked
package org.vramkit.bench.soak;

import org.jspecify.annotations.NullMarked;
