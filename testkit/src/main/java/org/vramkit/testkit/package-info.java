/** Placeholder. */
@NullMarked
package org.vramkit.testkit;

import org.jspecify.annotations.NullMarked;
