/** Which threads of the host run the tasks of an executor. */
@NullMarked
package org.vramkit.sim.thread;

import org.jspecify.annotations.NullMarked;
