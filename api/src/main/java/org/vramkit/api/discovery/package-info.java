/** Choosing one of the backends that the class path offers. */
@NullMarked
package org.vramkit.api.discovery;

import org.jspecify.annotations.NullMarked;
