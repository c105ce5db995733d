/** Example of a custom backend that wraps another one. */
@NullMarked
package org.vramkit.examples.backend;

import org.jspecify.annotations.NullMarked;
