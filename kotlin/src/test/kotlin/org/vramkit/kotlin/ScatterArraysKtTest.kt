package org.vramkit.kotlin

import java.nio.ByteBuffer
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.vramkit.api.error.DriverException
import org.vramkit.partition.device.DevicePool
import org.vramkit.partition.scatter.ArrayPart
import org.vramkit.partition.scatter.Scatter
import org.vramkit.pool.caching.CachingAllocator
import org.vramkit.sim.DeviceProfile
import org.vramkit.sim.SimBackend

@DisplayName("S5: arrays over devices")
class ScatterArraysKtTest {
    private fun onTwo(work: (Scatter) -> Unit) {
        val two = DeviceProfile.SMALL_8GIB
        SimBackend.builder().device(two).device(two).build().use { backend ->
            val allocators = backend.devices.map { CachingAllocator.create(it) }
            val builder = Scatter.builder(DevicePool.of(backend))
            builder.allocators { allocators[it.ordinal] }.build().use(work)
            allocators.forEach { it.close() }
            assertEquals(listOf<Any>(), backend.hazards)
            assertEquals(listOf<Any>(), backend.leaks)
        }
    }

    private fun ones(part: ArrayPart) = part.stream.fill(part.address, 1, part.bytes)

    @Test
    @DisplayName("S5.5 every kind of array comes back with what its parts became")
    fun arrays() = onTwo { scatter ->
        val floats = FloatArray(1000)
        val doubles = DoubleArray(1000)
        val ints = IntArray(1000)
        val longs = LongArray(1000)
        val bytes = ByteBuffer.allocate(1000)
        floats.scatter(scatter) { ones(it) }
        doubles.scatter(scatter) { ones(it) }
        ints.scatter(scatter) { ones(it) }
        longs.scatter(scatter) { ones(it) }
        bytes.scatter(scatter, 4) { ones(it) }
        assertTrue(floats.all { it.toRawBits() == 0x01010101 })
        assertTrue(doubles.all { it.toRawBits() == 0x0101010101010101 })
        assertTrue(ints.all { it == 0x01010101 })
        assertTrue(longs.all { it == 0x0101010101010101 })
        assertTrue(bytes.array().all { it == 1.toByte() })
    }

    @Test
    @DisplayName("S5.5 the CPU runs the units that no device can run")
    fun onCpu() = onTwo { scatter ->
        val ints = IntArray(100)
        val report =
            ints.scatter(scatter, onCpu = { from, to -> ints.fill(7, from.toInt(), to.toInt()) }) {
                throw DriverException("sick")
            }
        assertTrue(report.onCpu)
        assertTrue(ints.all { it == 7 })
    }
}
