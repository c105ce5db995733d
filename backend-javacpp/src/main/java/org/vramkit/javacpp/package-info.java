/** Real CUDA devices through the JavaCPP presets, and ways to and from the presets' types. */
@NullMarked
package org.vramkit.javacpp;

import org.jspecify.annotations.NullMarked;
