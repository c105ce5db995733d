/** The command line and its commands. */
@NullMarked
package org.vramkit.tools;

import org.jspecify.annotations.NullMarked;
