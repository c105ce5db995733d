/** Examples to start from; each runs on its own and is run by the build. */
@NullMarked
package org.vramkit.examples;

import org.jspecify.annotations.NullMarked;
