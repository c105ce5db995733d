/**
 * Tests that every backend and every allocator must pass. Extend {@link
 * org.vramkit.testkit.BackendKit} or {@link org.vramkit.testkit.AllocatorKit} with a small class
 * that says how to open the subject.
 */
@NullMarked
package org.vramkit.testkit;

import org.jspecify.annotations.NullMarked;
