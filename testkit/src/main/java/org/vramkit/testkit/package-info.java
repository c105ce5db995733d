/**
 * The tests that every backend, allocator and workspace must pass. Extend {@link
 * org.vramkit.testkit.BackendKit}, {@link org.vramkit.testkit.AllocatorKit} or {@link
 * org.vramkit.testkit.WorkspaceKit} with a small class that opens the subject.
 */
@NullMarked
package org.vramkit.testkit;

import org.jspecify.annotations.NullMarked;
