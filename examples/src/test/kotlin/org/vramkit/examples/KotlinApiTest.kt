package org.vramkit.examples

import java.io.StringWriter
import java.nio.ByteBuffer
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.vramkit.api.allocator.AllocatorOutOfMemoryException
import org.vramkit.api.allocator.ElementType
import org.vramkit.api.device.Capability
import org.vramkit.api.discovery.Backends
import org.vramkit.api.error.BackendNotAvailableException
import org.vramkit.api.error.ClosedException
import org.vramkit.api.units.ByteSize
import org.vramkit.pool.buffer.BufferPool
import org.vramkit.pool.caching.CachingAllocator
import org.vramkit.pool.caching.StealPolicy
import org.vramkit.pool.caching.VirtualMemoryUse
import org.vramkit.pool.decorator.LimitingAllocator
import org.vramkit.pool.decorator.RetryingAllocator
import org.vramkit.pool.decorator.StatisticsScope
import org.vramkit.pool.decorator.TraceRecorder
import org.vramkit.pool.decorator.TrackingAllocator
import org.vramkit.pool.direct.DirectAllocator
import org.vramkit.pool.driverpool.DriverPoolAllocator
import org.vramkit.pool.pinned.PinnedPool
import org.vramkit.pool.streamordered.StreamOrderedPool
import org.vramkit.pool.workspace.WorkspacePool
import org.vramkit.sim.DeviceProfile
import org.vramkit.sim.SimBackend
import org.vramkit.sim.SimKernel

/** The public API as a Kotlin user meets it: no platform types, no `!!`; warnings end the build. */
@DisplayName("The API from Kotlin")
class KotlinApiTest {

    private fun onDevice(program: SimBackend.() -> Unit) {
        val backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).seed(7).build()
        backend.use {
            it.program()
            assertEquals(listOf<Any>(), it.hazards)
            assertEquals(listOf<Any>(), it.leaks)
        }
    }

    @Test
    @DisplayName("Accessors are properties")
    fun properties() = onDevice {
        val device = getDevice(0)
        val memory = device.memoryInfo
        assertEquals(8 * ByteSize.GIB, memory.totalBytes)
        assertEquals(0, memory.usedBytes)
        assertEquals(0, device.ordinal)
        assertTrue(Capability.VIRTUAL_MEMORY in device.capabilities)
        assertTrue(device.properties.name.isNotEmpty())
        assertTrue(device.virtualMemory.granularity > 0)
        assertEquals("sim", name)
        assertTrue(device.defaultStream.isDefault)
    }

    @Test
    @DisplayName("Allocators are built, used and closed by use")
    fun allocators() = onDevice {
        val device = getDevice(0)
        val allocators = listOf(
            CachingAllocator.builder(device)
                .virtualMemory(VirtualMemoryUse.ON)
                .limit(ByteSize.GIB)
                .steal(StealPolicy.WITH_WAIT)
                .build(),
            DirectAllocator.builder(device).build(),
            StreamOrderedPool.builder(device).build(),
            DriverPoolAllocator.builder(device).build(),
        )
        device.createStream().use { stream ->
            for (each in allocators) {
                each.use { allocator ->
                    allocator.allocate(1000, ElementType.FLOAT64, stream).use { block ->
                        assertEquals(8000, block.size)
                        assertEquals(8000, allocator.statistics.requested().current)
                        assertTrue(block.stream == stream && !block.isClosed)
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("Handlers are trailing lambdas, reports are values")
    fun outOfMemory() = onDevice {
        val device = getDevice(0)
        val seen = mutableListOf<String>()
        CachingAllocator.builder(device)
            .outOfMemoryHandler { report, attempt ->
                seen += "${report.requestedBytes} at $attempt: ${report.steps.size > 1}"
                false
            }
            .build()
            .use { allocator ->
                val error = assertThrows<AllocatorOutOfMemoryException> {
                    allocator.allocate(9 * ByteSize.GIB)
                }
                assertEquals(9 * ByteSize.GIB, error.report.requestedBytes)
                assertTrue(error.report.advice.isNotEmpty())
                var tries = 0
                RetryingAllocator.over(allocator) { attempt -> tries = attempt.attempt; tries < 3 }
                    .use {
                        assertThrows<AllocatorOutOfMemoryException> { it.allocate(9 * ByteSize.GIB) }
                    }
                assertEquals(3, tries)
            }
        assertEquals(4, seen.size)
    }

    @Test
    @DisplayName("Decorators stack")
    fun decorators() = onDevice {
        val lines = StringWriter()
        CachingAllocator.create(getDevice(0)).use { allocator ->
            LimitingAllocator.over(allocator, 5000).use { limited ->
                StatisticsScope.over(limited).use { scope ->
                    TrackingAllocator.withStacks(scope).use { tracking ->
                        TraceRecorder.over(tracking, lines).use { recorder ->
                            recorder.allocate(4000).use {
                                assertEquals(1000, limited.availableBytes)
                                assertEquals(4000, scope.bytes.current)
                                assertEquals(1L, tracking.live.single().number)
                                assertTrue(tracking.live.single().stack.isNotEmpty())
                            }
                        }
                    }
                }
            }
        }
        assertEquals(4, lines.toString().lines().count { it.isNotEmpty() })
    }

    @Test
    @DisplayName("Workspaces, typed buffers and pinned buffers")
    fun pools() = onDevice {
        val device = getDevice(0)
        CachingAllocator.create(device).use { allocator ->
            device.createStream().use { stream ->
                WorkspacePool.builder(allocator).perClassCapacity(2).build().use { workspaces ->
                    workspaces.acquire(5000, stream).use { assertEquals(8192, it.size) }
                    assertEquals(1, workspaces.freeSlabs)
                }
                BufferPool.create(allocator).use { buffers ->
                    buffers.acquireZeroed(ElementType.INT32, 3, stream).use { buffer ->
                        buffer.slice(0, 2).copyFrom(intArrayOf(1, 2))
                        val back = IntArray(3)
                        buffer.copyTo(back)
                        assertEquals(listOf(1, 2, 0), back.toList())
                        PinnedPool.create(device).use { pinned ->
                            pinned.acquire(12).use { host ->
                                host.copyToHost(buffer.address, stream)
                                stream.synchronize()
                                assertEquals(2, host.bytes.getInt(4))
                            }
                        }
                    }
                    assertEquals(1, buffers.statistics.misses)
                }
            }
        }
    }

    @Test
    @DisplayName("Kernels are lambdas, errors are unchecked")
    fun kernelsAndErrors() = onDevice {
        val device = getDevice(0)
        val stream = device.createStream()
        CachingAllocator.create(device).use { allocator ->
            val block = allocator.allocate(16, stream)
            stream.launch(
                SimKernel.named("fill")
                    .writes(block.address, 16)
                    .body { bytes -> bytes.fill(block.address, 3, 16) }
                    .build(),
            )
            val back = ByteBuffer.allocate(16)
            stream.copyToHost(back, block.address)
            assertEquals(3, back.get(15))
            block.close()
            assertThrows<ClosedException> { block.address }
        }
        stream.close()
        assertThrows<BackendNotAvailableException> { Backends.open("abacus") }
        assertTrue("sim" in Backends.list().map { it.name })
    }
}
