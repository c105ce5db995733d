/* The README's example, which the build holds against this file. */
package org.vramkit.examples

import org.vramkit.api.allocator.ElementType
import org.vramkit.api.discovery.Backends
import org.vramkit.pool.caching.CachingAllocator

fun fiveLines() {
  Backends.open().use { backend ->
    CachingAllocator.create(backend.getDevice(0)).use { allocator ->
      allocator.device.createStream().use { stream ->
        allocator.allocate(1 shl 20, ElementType.FLOAT32, stream).use { weights ->
          stream.fill(weights.address, 0, weights.size)
        }
      }
    }
  }
}
