/** The annotation for parts of Vramkit's API that may still change. */
@NullMarked
package org.vramkit.api;

import org.jspecify.annotations.NullMarked;
