/* The example of docs/kotlin.md; a test compares that page with this file. */
package org.vramkit.examples

import org.vramkit.api.allocator.ElementType
import org.vramkit.api.discovery.Backends
import org.vramkit.kotlin.gpuScope
import org.vramkit.pool.caching.CachingAllocator

fun fiveLines() = gpuScope {
  val backend = own(Backends.open())
  val allocator = own(CachingAllocator.create(backend.getDevice(0)))
  val stream = own(allocator.device.createStream())
  val weights = own(allocator.allocate(1 shl 20, ElementType.FLOAT32, stream))
  stream.fill(weights.address, 0, weights.size)
}
