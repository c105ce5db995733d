/**
 * A small GPT-2 that is trained on the simulator or on GPUs; {@link
 * org.vramkit.examples.transformer.TrainTransformer} is the program. Its memory comes from the
 * caching allocator (activations), a stream-ordered pool (temporaries), typed buffers (parameters
 * and gradients) and the workspace pool, and a scatter divides each batch over the devices.
 */
@NullMarked
package org.vramkit.examples.transformer;

import org.jspecify.annotations.NullMarked;
