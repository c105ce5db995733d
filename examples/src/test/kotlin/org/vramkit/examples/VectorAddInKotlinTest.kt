package org.vramkit.examples

import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Test
import org.vramkit.api.allocator.ElementType
import org.vramkit.examples.cuda.VectorAdd
import org.vramkit.kotlin.gpuScope
import org.vramkit.pool.buffer.BufferPool
import org.vramkit.pool.caching.CachingAllocator
import org.vramkit.sim.SimDevice
import org.vramkit.sim.SimStream
import org.vramkit.testkit.sim.SimulatedGpu

@SimulatedGpu
class VectorAddInKotlinTest {
    @Test
    fun adds(device: SimDevice, stream: SimStream) = gpuScope {
        val buffers = own(BufferPool.create(own(CachingAllocator.create(device))))
        val a = own(buffers.acquire(ElementType.FLOAT32, 3, stream))
        val sums = own(buffers.acquire(ElementType.FLOAT32, 3, stream))
        val kernel = own(VectorAdd(device))
        a.copyFrom(floatArrayOf(1f, 2f, 3f))
        kernel.submit(stream, sums, a, a, 3)
        val found = FloatArray(3)
        sums.copyTo(found)
        assertArrayEquals(floatArrayOf(2f, 4f, 6f), found)
    }
}
