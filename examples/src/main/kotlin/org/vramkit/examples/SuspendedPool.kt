package org.vramkit.examples

import org.vramkit.api.device.Backend
import org.vramkit.api.device.Stream
import org.vramkit.api.units.ByteSize.MIB
import org.vramkit.kotlin.gpuScope
import org.vramkit.pool.caching.Backup
import org.vramkit.pool.caching.CachingAllocator
import org.vramkit.pool.caching.PrivatePool

/** Runs other work while the pool is suspended. Its allocations have their contents again afterwards. */
fun <T> PrivatePool.whileSuspended(stream: Stream, other: () -> T): T {
    suspend(Backup.HOST, stream)
    try {
        return other()
    } finally {
        resume(stream)
    }
}

/** Runs two models that each need two thirds of the limit: one is suspended while the other runs. */
fun oneModelAtATime(backend: Backend): Boolean = gpuScope {
    val device = backend.getDevice(0)
    val allocator = own(CachingAllocator.builder(device).limit(96 * MIB).build())
    val stream = own(device.createStream())
    val model = own(allocator.createPool())
    val weights = own(model.allocator.allocate(64 * MIB, stream))
    model.whileSuspended(stream) {
        allocator.allocate(64 * MIB, stream).use { it.size == weights.size }
    }
}
