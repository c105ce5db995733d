/** Self-contained examples, all of which the build runs. */
@NullMarked
package org.vramkit.examples;

import org.jspecify.annotations.NullMarked;
