/** Finds and opens the backends on the class path. */
@NullMarked
package org.vramkit.api.discovery;

import org.jspecify.annotations.NullMarked;
