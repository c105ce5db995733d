/**
 * Decides when queued work runs: in virtual time as on a device, or step by step by a policy.
 *
 * <p>The checker knows only what was submitted and waited for, so its reports are the same on every
 * timeline; bytes and the answers to queries differ.
 */
@NullMarked
package org.vramkit.sim.timeline;

import org.jspecify.annotations.NullMarked;
