/** CUDA devices through JCuda, and conversions to and from its types. */
@NullMarked
package org.vramkit.jcuda;

import org.jspecify.annotations.NullMarked;
