package org.vramkit.kotlin

import java.nio.ByteBuffer
import java.nio.ByteOrder
import org.vramkit.api.allocator.Allocation
import org.vramkit.api.error.InvalidArgumentException

/** Size of the staging buffer: large enough for full speed, small compared to the arrays. */
private const val PIECE_BYTES = 4 shl 20

/** Copies elements between a buffer and an array, starting at an index. */
private typealias Mover = ByteBuffer.(from: Int, count: Int) -> Unit

/** An array of a primitive type, copied through a direct buffer a piece at a time. */
internal class HostArray(
    private val kind: String,
    private val length: Int,
    private val width: Int,
    private val put: Mover,
    private val get: Mover,
) {
    val bytes: Long
        get() = length.toLong() * width

    fun copyTo(allocation: Allocation) {
        val address = target(allocation)
        eachPiece { from, count ->
            put(from, count)
            allocation.stream.copyToDevice(address + from.toLong() * width, this)
        }
    }

    fun copyFrom(allocation: Allocation) {
        val address = target(allocation)
        eachPiece { from, count ->
            allocation.stream.copyToHost(this, address + from.toLong() * width)
            get(from, count)
        }
    }

    private fun target(allocation: Allocation): Long {
        val address = allocation.address
        if (bytes != allocation.size) {
            throw InvalidArgumentException(
                "a $kind of $length elements has $bytes bytes, the allocation " +
                    "${allocation.size}; copy a part by its address and stream",
            )
        }
        return address
    }

    private inline fun eachPiece(copy: Mover) {
        val most = PIECE_BYTES / width
        val buffer =
            ByteBuffer.allocateDirect(minOf(most, length) * width).order(ByteOrder.nativeOrder())
        for (from in 0 until length step most) {
            val count = minOf(most, length - from)
            buffer.clear().limit(count * width)
            buffer.copy(from, count)
        }
    }
}

internal fun hostArray(array: ByteArray) = HostArray(
    "ByteArray",
    array.size,
    Byte.SIZE_BYTES,
    { from, count -> duplicate().put(array, from, count) },
    { from, count -> duplicate().get(array, from, count) },
)

internal fun hostArray(array: ShortArray) = HostArray(
    "ShortArray",
    array.size,
    Short.SIZE_BYTES,
    { from, count -> asShortBuffer().put(array, from, count) },
    { from, count -> asShortBuffer().get(array, from, count) },
)

internal fun hostArray(array: IntArray) = HostArray(
    "IntArray",
    array.size,
    Int.SIZE_BYTES,
    { from, count -> asIntBuffer().put(array, from, count) },
    { from, count -> asIntBuffer().get(array, from, count) },
)

internal fun hostArray(array: LongArray) = HostArray(
    "LongArray",
    array.size,
    Long.SIZE_BYTES,
    { from, count -> asLongBuffer().put(array, from, count) },
    { from, count -> asLongBuffer().get(array, from, count) },
)

internal fun hostArray(array: FloatArray) = HostArray(
    "FloatArray",
    array.size,
    Float.SIZE_BYTES,
    { from, count -> asFloatBuffer().put(array, from, count) },
    { from, count -> asFloatBuffer().get(array, from, count) },
)

internal fun hostArray(array: DoubleArray) = HostArray(
    "DoubleArray",
    array.size,
    Double.SIZE_BYTES,
    { from, count -> asDoubleBuffer().put(array, from, count) },
    { from, count -> asDoubleBuffer().get(array, from, count) },
)
