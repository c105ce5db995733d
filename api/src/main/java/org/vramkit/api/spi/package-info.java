/** What a backend implements so that it is found on the class path. */
@NullMarked
package org.vramkit.api.spi;

import org.jspecify.annotations.NullMarked;
