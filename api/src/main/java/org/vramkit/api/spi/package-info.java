/** Interfaces by which a backend is found on the class path. */
@NullMarked
package org.vramkit.api.spi;

import org.jspecify.annotations.NullMarked;
