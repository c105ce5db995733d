package org.vramkit.examples

import org.vramkit.api.device.Backend
import org.vramkit.api.device.Stream
import org.vramkit.api.units.ByteSize.MIB
import org.vramkit.kotlin.gpuScope
import org.vramkit.pool.caching.Backup
import org.vramkit.pool.caching.CachingAllocator
import org.vramkit.pool.caching.PrivatePool

/** Runs other work while the pool's memory is away; the bytes of its allocations are back afterwards. */
fun <T> PrivatePool.stepAside(stream: Stream, other: () -> T): T {
    suspend(Backup.HOST, stream)
    try {
        return other()
    } finally {
        resume(stream)
    }
}

/** Two models of two thirds of the limit each, of which one pauses for the other. */
fun oneModelAtATime(backend: Backend): Boolean = gpuScope {
    val device = backend.getDevice(0)
    val allocator = own(CachingAllocator.builder(device).limit(96 * MIB).build())
    val stream = own(device.createStream())
    val model = own(allocator.createPool())
    val weights = own(model.allocator.allocate(64 * MIB, stream))
    model.stepAside(stream) {
        allocator.allocate(64 * MIB, stream).use { it.size == weights.size }
    }
}
