@file:JvmName("AllocateAndCopyKt")

package org.vramkit.examples

import org.vramkit.api.device.Backend
import org.vramkit.api.discovery.Backends
import org.vramkit.kotlin.allocateCopy
import org.vramkit.kotlin.gpuScope
import org.vramkit.kotlin.toByteArray
import org.vramkit.pool.caching.CachingAllocator

/** Allocates device memory, copies text to the device and back. */
fun main() = Backends.open().use { println(allocateAndCopy(it)) }

fun allocateAndCopy(backend: Backend): String = gpuScope {
    val allocator = own(CachingAllocator.create(backend.getDevice(0)))
    val stream = own(allocator.device.createStream())
    val there = own(allocator.allocateCopy("hello, device".toByteArray(), stream))
    val copy = own(allocator.allocate(there.size, stream))
    stream.copy(copy.address, there.address, there.size)
    copy.toByteArray().decodeToString()
}
