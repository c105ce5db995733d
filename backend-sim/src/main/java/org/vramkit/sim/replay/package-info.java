/** Runs stored programs again, reduces them to what a report needs, and prints them as Java. */
@NullMarked
package org.vramkit.sim.replay;

import org.jspecify.annotations.NullMarked;
