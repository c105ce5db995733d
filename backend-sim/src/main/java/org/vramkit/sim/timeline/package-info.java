/**
 * When queued work runs: in virtual time as on a device, or step by step as a policy decides.
 *
 * <p>Nothing here judges: the checker knows only what was submitted and waited for, so a verdict is
 * the same on every timeline; bytes, and the answers to questions, differ.
 */
@NullMarked
package org.vramkit.sim.timeline;

import org.jspecify.annotations.NullMarked;
