/** Interfaces that a backend implements to be found on the class path. */
@NullMarked
package org.vramkit.api.spi;

import org.jspecify.annotations.NullMarked;
