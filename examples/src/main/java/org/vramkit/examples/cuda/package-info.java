/** Examples that call CUDA directly on Vramkit's memory; they need an NVIDIA GPU. */
@NullMarked
package org.vramkit.examples.cuda;

import org.jspecify.annotations.NullMarked;
