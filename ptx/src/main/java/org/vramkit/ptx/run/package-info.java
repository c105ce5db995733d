/** The machine: blocks, warps, paths of diverged lanes, barriers and memory. */
@NullMarked
package org.vramkit.ptx.run;

import org.jspecify.annotations.NullMarked;
