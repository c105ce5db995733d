/** The agent that lets the simulator answer the native methods of CUDA's Java bindings. */
@NullMarked
package org.vramkit.agent;

import org.jspecify.annotations.NullMarked;
