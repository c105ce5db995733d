/** CUDA devices through the JDK's foreign function interface. Needs JDK 22. */
@NullMarked
package org.vramkit.ffm;

import org.jspecify.annotations.NullMarked;
