/** States what holds for all that Vramkit exports. */
@NullMarked
package org.vramkit.api;

import org.jspecify.annotations.NullMarked;
