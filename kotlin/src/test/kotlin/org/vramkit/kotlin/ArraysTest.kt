package org.vramkit.kotlin

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.DynamicTest
import org.junit.jupiter.api.DynamicTest.dynamicTest
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestFactory
import org.junit.jupiter.api.assertThrows
import org.vramkit.api.allocator.Allocation
import org.vramkit.api.allocator.Allocator
import org.vramkit.api.allocator.ElementType
import org.vramkit.api.device.Stream
import org.vramkit.api.error.ClosedException
import org.vramkit.api.error.DriverException
import org.vramkit.api.error.InvalidArgumentException
import org.vramkit.api.units.ByteSize
import org.vramkit.pool.buffer.BufferPool
import org.vramkit.pool.buffer.TypedBuffer
import org.vramkit.pool.caching.CachingAllocator
import org.vramkit.sim.DeviceProfile
import org.vramkit.sim.SimBackend
import org.vramkit.sim.driver.CallSelector
import org.vramkit.sim.driver.Fault
import org.vramkit.sim.driver.FaultPlan

@DisplayName("17.27 Arrays")
class ArraysTest {
    private class Place(val backend: SimBackend, val allocator: Allocator, val stream: Stream) {
        val buffers: BufferPool = BufferPool.create(allocator)
    }

    private fun onDevice(program: Place.() -> Unit) {
        val backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).seed(27).build()
        gpuScope {
            own(backend)
            val allocator = own(CachingAllocator.create(backend.getDevice(0)))
            val place = Place(backend, allocator, own(allocator.device.createStream()))
            own(place.buffers)
            place.program()
        }
        assertEquals(listOf<Any>(), backend.hazards, "seed 27")
        assertEquals(listOf<Any>(), backend.leaks, "seed 27")
    }

    /** All that there is for one type of array. */
    private class Kind<A>(
        val name: String,
        val type: ElementType,
        val make: (size: Int, seed: Int) -> A,
        val equal: A.(A?) -> Boolean,
        val allocateCopy: Allocator.(A, Stream) -> Allocation,
        val copyIn: Allocation.(A) -> Unit,
        val copyOut: Allocation.(A) -> Unit,
        val read: Allocation.() -> A,
        val acquireCopy: BufferPool.(A, Stream) -> TypedBuffer,
        val readBuffer: TypedBuffer.() -> A,
    ) {
        private fun same(expected: A, found: A) = assertTrue(expected.equal(found))

        fun roundTrip(place: Place, size: Int) = with(place) {
            val first = make(size, 1)
            val second = make(size, 2)
            allocator.allocateCopy(first, stream).use {
                assertEquals(type.bytesOf(size.toLong()), it.size)
                same(first, it.read())
                it.copyIn(second)
                val back = make(size, 3)
                it.copyOut(back)
                same(second, back)
            }
            buffers.acquireCopy(first, stream).use {
                assertEquals(type, it.type)
                assertEquals(size.toLong(), it.count)
                same(first, it.readBuffer())
            }
        }

        fun refusesOtherSizes(place: Place) = with(place) {
            allocator.allocate(10, type, stream).use {
                for (size in listOf(0, 9, 11)) {
                    val error = assertThrows<InvalidArgumentException> { it.copyIn(make(size, 1)) }
                    val bytes = type.bytesOf(size.toLong())
                    val wanted = "a $name of $size elements has $bytes bytes"
                    assertTrue(wanted in error.message.orEmpty(), error.message)
                    assertThrows<InvalidArgumentException> { it.copyOut(make(size, 1)) }
                }
            }
            allocator.allocate(10L * type.width + 1, stream).use {
                if (type.width > 1) {
                    assertThrows<InvalidArgumentException> { it.read() }
                }
            }
        }

        fun refusesClosed(place: Place) = with(place) {
            for (size in listOf(0, 10)) {
                val array = make(size, 1)
                val memory = allocator.allocateCopy(array, stream)
                memory.close()
                assertThrows<ClosedException> { memory.copyIn(array) }
                assertThrows<ClosedException> { memory.copyOut(array) }
                assertThrows<ClosedException> { memory.read() }
            }
        }

        fun closesWhatItCannotFill(place: Place) = with(place) {
            val array = make(10, 1)
            val plan = FaultPlan.NONE.fail(CallSelector.of("cuMemcpyHtoDAsync"), Fault.UNKNOWN)
            backend.faults.inject(plan)
            assertThrows<DriverException> { allocator.allocateCopy(array, stream) }
            assertThrows<DriverException> { buffers.acquireCopy(array, stream) }
            buffers.emptyCache()
            assertEquals(0, allocator.statistics.allocations().current)
        }
    }

    private val kinds = listOf(
        Kind(
            "ByteArray",
            ElementType.INT8,
            { n, s -> ByteArray(n) { (it * 31 + s).toByte() } },
            ByteArray::contentEquals,
            Allocator::allocateCopy,
            Allocation::copyFrom,
            Allocation::copyTo,
            Allocation::toByteArray,
            BufferPool::acquireCopy,
            TypedBuffer::toByteArray,
        ),
        Kind(
            "ShortArray",
            ElementType.INT16,
            { n, s -> ShortArray(n) { (it * 31 + s).toShort() } },
            ShortArray::contentEquals,
            Allocator::allocateCopy,
            Allocation::copyFrom,
            Allocation::copyTo,
            Allocation::toShortArray,
            BufferPool::acquireCopy,
            TypedBuffer::toShortArray,
        ),
        Kind(
            "IntArray",
            ElementType.INT32,
            { n, s -> IntArray(n) { it * 31 + s } },
            IntArray::contentEquals,
            Allocator::allocateCopy,
            Allocation::copyFrom,
            Allocation::copyTo,
            Allocation::toIntArray,
            BufferPool::acquireCopy,
            TypedBuffer::toIntArray,
        ),
        Kind(
            "LongArray",
            ElementType.INT64,
            { n, s -> LongArray(n) { it * 31L - s } },
            LongArray::contentEquals,
            Allocator::allocateCopy,
            Allocation::copyFrom,
            Allocation::copyTo,
            Allocation::toLongArray,
            BufferPool::acquireCopy,
            TypedBuffer::toLongArray,
        ),
        Kind(
            "FloatArray",
            ElementType.FLOAT32,
            { n, s -> FloatArray(n) { it / 3f + s } },
            FloatArray::contentEquals,
            Allocator::allocateCopy,
            Allocation::copyFrom,
            Allocation::copyTo,
            Allocation::toFloatArray,
            BufferPool::acquireCopy,
            TypedBuffer::toFloatArray,
        ),
        Kind(
            "DoubleArray",
            ElementType.FLOAT64,
            { n, s -> DoubleArray(n) { it / 3.0 - s } },
            DoubleArray::contentEquals,
            Allocator::allocateCopy,
            Allocation::copyFrom,
            Allocation::copyTo,
            Allocation::toDoubleArray,
            BufferPool::acquireCopy,
            TypedBuffer::toDoubleArray,
        ),
    )

    private fun ofEachKind(name: String, test: Kind<*>.(Place) -> Unit): List<DynamicTest> =
        kinds.map { kind -> dynamicTest("${kind.name} $name") { onDevice { kind.test(this) } } }

    @TestFactory
    @DisplayName("come back as they went, in memory and in buffers, also in pieces and empty")
    fun roundTrips() = ofEachKind("comes back") { place ->
        val inPieces = (9 * ByteSize.MIB / type.width).toInt() + 3
        for (size in listOf(0, 1, 1000, inPieces)) {
            roundTrip(place, size)
        }
    }

    @TestFactory
    @DisplayName("of another size than the memory are rejected, with both sizes")
    fun otherSizes() = ofEachKind("of another size is refused") { refusesOtherSizes(it) }

    @TestFactory
    @DisplayName("go nowhere once the memory is closed, also where both are empty")
    fun closed() = ofEachKind("is not copied to what is closed") { refusesClosed(it) }

    @TestFactory
    @DisplayName("that cannot be copied leave no memory behind")
    fun failing() = ofEachKind("leaves nothing behind") { closesWhatItCannotFill(it) }

    @Test
    @DisplayName("cannot have more elements than the JVM allows, and say what to do instead")
    fun tooLarge() = onDevice {
        allocator.allocate(3 * ByteSize.GIB, stream).use {
            val error = assertThrows<InvalidArgumentException> { it.toByteArray() }
            assertTrue("in parts" in error.message.orEmpty(), error.message)
        }
        buffers.acquire(ElementType.INT8, 3 * ByteSize.GIB, stream).use {
            val error = assertThrows<InvalidArgumentException> { it.toByteArray() }
            assertTrue("in parts" in error.message.orEmpty(), error.message)
        }
    }

    @Test
    @DisplayName("of another type than the buffer's are refused")
    fun otherType() = onDevice {
        buffers.acquireCopy(floatArrayOf(1f, 2f), stream).use {
            assertThrows<InvalidArgumentException> { it.toIntArray() }
        }
    }
}
