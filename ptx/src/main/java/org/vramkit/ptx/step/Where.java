package org.vramkit.ptx.step;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.syntax.Space;

/**
 * The address operand of an access.
 *
 * @param base the register with an address; null if the address is a number
 * @param offset bytes that are added
 * @param inFrame whether the frame's local base is added as well
 */
public record Where(Space space, @Nullable Slot base, long offset, boolean inFrame) {}
