package org.vramkit.kotlin

import java.util.concurrent.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.vramkit.api.allocator.ElementType
import org.vramkit.api.error.ClosedException
import org.vramkit.pool.buffer.BufferPool
import org.vramkit.pool.caching.CachingAllocator
import org.vramkit.sim.SimDevice
import org.vramkit.testkit.sim.SimulatedGpu

@SimulatedGpu
@DisplayName("17.27 A scope")
class GpuScopeTest {
    private val closed = mutableListOf<String>()

    private fun thing(name: String) = AutoCloseable { closed += name }

    private fun broken(name: String) = AutoCloseable {
        closed += name
        error(name)
    }

    @Test
    @DisplayName("closes its resources, the last one first, and returns the result of its block")
    fun closesInReverse() {
        val result = gpuScope {
            own(thing("backend"))
            own(thing("allocator"))
            own(thing("stream"))
            "done"
        }
        assertEquals("done", result)
        assertEquals(listOf("stream", "allocator", "backend"), closed)
    }

    @Test
    @DisplayName("owns allocators, streams, buffers and memory, and leaves nothing behind")
    fun ownsRealThings(device: SimDevice) {
        val bytes = gpuScope {
            val allocator = own(CachingAllocator.create(device))
            val stream = own(allocator.device.createStream())
            val buffers = own(BufferPool.create(allocator))
            val weights = own(allocator.allocate(1000, ElementType.FLOAT32, stream))
            val moments = own(buffers.acquireZeroed(ElementType.FLOAT32, 1000, stream))
            stream.fill(weights.address, 1, weights.size)
            weights.size + moments.size
        }
        assertEquals(8000, bytes)
    }

    @Test
    @DisplayName("throws the block's failure, with those of the closes suppressed, and closes all")
    fun blockFails() {
        val failure = assertThrows<IllegalArgumentException> {
            gpuScope {
                own(broken("first"))
                own(thing("second"))
                own(broken("third"))
                throw IllegalArgumentException("block")
            }
        }
        assertEquals("block", failure.message)
        assertEquals(listOf("third", "first"), failure.suppressed.map { it.message })
        assertEquals(listOf("third", "second", "first"), closed)
    }

    @Test
    @DisplayName("throws the first failure of a close, with the others suppressed, and closes all")
    fun closesFail() {
        val failure = assertThrows<IllegalStateException> {
            gpuScope {
                own(broken("first"))
                own(thing("second"))
                own(broken("third"))
            }
        }
        assertEquals("third", failure.message)
        assertEquals(listOf("first"), failure.suppressed.map { it.message })
        assertEquals(listOf("third", "second", "first"), closed)
    }

    @Test
    @DisplayName(
        "survives closes that throw the same exception again, as closes of a lost device may")
    fun sameFailureAgain() {
        val lost = IllegalStateException("lost")
        val failure = assertThrows<IllegalStateException> {
            gpuScope {
                own(AutoCloseable { throw lost })
                own(AutoCloseable { throw lost })
                throw lost
            }
        }
        assertSame(lost, failure)
        assertEquals(0, failure.suppressed.size)
    }

    @Test
    @DisplayName("closes its resources if its block returns from the enclosing function")
    fun returnsFromInside() {
        fun findsNone(): String? = gpuScope {
            own(thing("stream"))
            return null
        }
        assertNull(findsNone())
        assertEquals(listOf("stream"), closed)
    }

    @Test
    @DisplayName("inside another closes its own first, and names in it are assigned for sure")
    fun nests() {
        val inner: String
        gpuScope {
            own(thing("outer"))
            gpuScope {
                own(thing("inner"))
                inner = "set"
            }
            own(thing("later"))
        }
        assertEquals("set", inner)
        assertEquals(listOf("inner", "later", "outer"), closed)
    }

    @Test
    @DisplayName("that has ended closes a new resource and throws")
    fun refusesAfterItsEnd() {
        val scope = gpuScope { this }
        assertThrows<ClosedException> { scope.own(thing("late")) }
        assertEquals(listOf("late"), closed)
        val failure = assertThrows<ClosedException> { scope.own(broken("later")) }
        assertEquals(listOf("later"), failure.suppressed.map { it.message })
    }

    @Test
    @DisplayName("closes when the coroutine that suspends in it is cancelled")
    fun cancelled() {
        val failure = assertThrows<CancellationException> {
            runBlocking {
                gpuScope {
                    own(thing("stream"))
                    cancel("enough")
                    yield()
                }
            }
        }
        assertEquals("enough", failure.message)
        assertEquals(listOf("stream"), closed)
    }

    @Test
    @DisplayName("owns what several threads make at once")
    fun manyThreads(device: SimDevice) {
        gpuScope {
            val allocator = own(CachingAllocator.create(device))
            runBlocking(Dispatchers.Default) {
                coroutineScope {
                    repeat(8) {
                        launch {
                            val stream = own(device.createStream())
                            repeat(50) { own(allocator.allocate(512, stream)) }
                        }
                    }
                }
            }
            assertEquals(400, allocator.statistics.allocations().current)
        }
        assertTrue(device.backend.leaks.isEmpty())
    }
}
