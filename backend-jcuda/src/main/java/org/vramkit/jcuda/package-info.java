/** Real CUDA devices through JCuda, and ways to and from its types. */
@NullMarked
package org.vramkit.jcuda;

import org.jspecify.annotations.NullMarked;
