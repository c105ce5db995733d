/** Real CUDA devices through the JDK's own foreign-function interface; needs JDK 22. */
@NullMarked
package org.vramkit.ffm;

import org.jspecify.annotations.NullMarked;
