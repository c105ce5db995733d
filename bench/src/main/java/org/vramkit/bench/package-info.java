/**
 * Benchmarks of allocators, beside the bare least that an allocator could cost on the JVM. Not
 * null-marked: JMH fills the fields of states.
 */
package org.vramkit.bench;
