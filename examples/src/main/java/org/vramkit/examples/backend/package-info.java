/** A backend of one's own, over another one. */
@NullMarked
package org.vramkit.examples.backend;

import org.jspecify.annotations.NullMarked;
