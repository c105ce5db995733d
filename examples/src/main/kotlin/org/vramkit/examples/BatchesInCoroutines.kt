package org.vramkit.examples

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.runBlocking
import org.vramkit.api.device.Backend
import org.vramkit.kotlin.allocateCopy
import org.vramkit.kotlin.await
import org.vramkit.kotlin.gpuScope
import org.vramkit.kotlin.toFloatArray
import org.vramkit.pool.caching.CachingAllocator
import org.vramkit.pool.stream.StreamPool

/** Copies each batch in its own coroutine, which releases its thread while the GPU works. */
fun copyBatches(backend: Backend, batches: List<FloatArray>): List<FloatArray> = gpuScope {
    val device = backend.getDevice(0)
    val allocator = own(CachingAllocator.create(device))
    val streams = own(StreamPool.create(device))
    runBlocking(Dispatchers.Default) {
        batches.map { batch ->
            async {
                val stream = streams.next()
                gpuScope {
                    val there = own(allocator.allocateCopy(batch, stream))
                    val copy = own(allocator.allocate(there.size, stream))
                    stream.copy(copy.address, there.address, there.size)
                    stream.await()
                    copy.toFloatArray()
                }
            }
        }.awaitAll()
    }
}
