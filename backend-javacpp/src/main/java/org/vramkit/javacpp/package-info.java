/** CUDA devices through the JavaCPP presets, and conversions to and from the presets' types. */
@NullMarked
package org.vramkit.javacpp;

import org.jspecify.annotations.NullMarked;
