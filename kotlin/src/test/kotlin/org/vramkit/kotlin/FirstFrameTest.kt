package org.vramkit.kotlin

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.vramkit.api.units.ByteSize
import org.vramkit.pool.buffer.BufferPool
import org.vramkit.pool.caching.CachingAllocator
import org.vramkit.pool.caching.HistoryEvent
import org.vramkit.sim.DeviceProfile
import org.vramkit.sim.SimBackend

@DisplayName("42.25 Stacks begin with the frame of the user's code")
class FirstFrameTest {
    private fun copies(allocator: CachingAllocator) {
        val stream = allocator.device.defaultStream
        allocator.allocateCopy(floatArrayOf(1f, 2f), stream).use { assertEquals(8, it.size) }
        BufferPool.create(allocator).use { it.acquireCopy(intArrayOf(1, 2, 3), stream).close() }
    }

    @Test
    @DisplayName("through copies of arrays, into allocations and buffers")
    fun arrays() {
        SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build().use { backend ->
            CachingAllocator.builder(backend.getDevice(0))
                .history(ByteSize.MIB)
                .historyStacks(true)
                .build()
                .use { allocator ->
                    copies(allocator)
                    val allocations =
                        allocator.history.filter { it.action == HistoryEvent.Action.ALLOCATE }
                    assertEquals(2, allocations.size)
                    allocations.forEach { assertEquals("copies", it.stack[0].methodName) }
                }
            assertEquals(listOf<Any>(), backend.leaks)
        }
    }
}
