package org.vramkit.kotlin

import org.vramkit.api.allocator.Allocation
import org.vramkit.api.allocator.Allocator
import org.vramkit.api.device.Stream
import org.vramkit.api.error.InvalidArgumentException

/*
 * Arrays of primitive types in and out of allocations. Copies run on the allocation's stream. Those
 * from an array have taken its elements when they return; those to an array return when they are
 * there.
 */

/** Allocates as many bytes as a copy has, and gives them back if the copy fails. */
private fun Allocator.allocateCopy(source: HostArray, stream: Stream): Allocation =
    allocate(source.bytes, stream).orClose { source.copyTo(it) }

/** Counts the elements of [width] bytes that an array of an allocation must have. */
private fun Allocation.count(kind: String, width: Int): Int {
    val count = size / width
    if (size % width != 0L || count > Int.MAX_VALUE) {
        throw InvalidArgumentException(
            "an allocation of $size bytes makes no $kind of elements of $width bytes: " +
                if (size % width != 0L) "they do not fill it" else "read it in parts by its stream",
        )
    }
    return count.toInt()
}

/**
 * Allocates room for an array and copies it to the device.
 *
 * @param stream the stream that the memory belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun Allocator.allocateCopy(source: ByteArray, stream: Stream): Allocation =
    allocateCopy(hostArray(source), stream)

/**
 * Allocates room for an array and copies it to the device.
 *
 * @param stream the stream that the memory belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun Allocator.allocateCopy(source: ShortArray, stream: Stream): Allocation =
    allocateCopy(hostArray(source), stream)

/**
 * Allocates room for an array and copies it to the device.
 *
 * @param stream the stream that the memory belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun Allocator.allocateCopy(source: IntArray, stream: Stream): Allocation =
    allocateCopy(hostArray(source), stream)

/**
 * Allocates room for an array and copies it to the device.
 *
 * @param stream the stream that the memory belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun Allocator.allocateCopy(source: LongArray, stream: Stream): Allocation =
    allocateCopy(hostArray(source), stream)

/**
 * Allocates room for an array and copies it to the device.
 *
 * @param stream the stream that the memory belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun Allocator.allocateCopy(source: FloatArray, stream: Stream): Allocation =
    allocateCopy(hostArray(source), stream)

/**
 * Allocates room for an array and copies it to the device.
 *
 * @param stream the stream that the memory belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun Allocator.allocateCopy(source: DoubleArray, stream: Stream): Allocation =
    allocateCopy(hostArray(source), stream)

/**
 * Copies an array in.
 *
 * @throws InvalidArgumentException if it has not as many bytes as the allocation
 */
public fun Allocation.copyFrom(source: ByteArray): Unit = hostArray(source).copyTo(this)

/**
 * Copies an array in.
 *
 * @throws InvalidArgumentException if it has not as many bytes as the allocation
 */
public fun Allocation.copyFrom(source: ShortArray): Unit = hostArray(source).copyTo(this)

/**
 * Copies an array in.
 *
 * @throws InvalidArgumentException if it has not as many bytes as the allocation
 */
public fun Allocation.copyFrom(source: IntArray): Unit = hostArray(source).copyTo(this)

/**
 * Copies an array in.
 *
 * @throws InvalidArgumentException if it has not as many bytes as the allocation
 */
public fun Allocation.copyFrom(source: LongArray): Unit = hostArray(source).copyTo(this)

/**
 * Copies an array in.
 *
 * @throws InvalidArgumentException if it has not as many bytes as the allocation
 */
public fun Allocation.copyFrom(source: FloatArray): Unit = hostArray(source).copyTo(this)

/**
 * Copies an array in.
 *
 * @throws InvalidArgumentException if it has not as many bytes as the allocation
 */
public fun Allocation.copyFrom(source: DoubleArray): Unit = hostArray(source).copyTo(this)

/**
 * Fills an array.
 *
 * @throws InvalidArgumentException if it has not as many bytes as the allocation
 */
public fun Allocation.copyTo(target: ByteArray): Unit = hostArray(target).copyFrom(this)

/**
 * Fills an array.
 *
 * @throws InvalidArgumentException if it has not as many bytes as the allocation
 */
public fun Allocation.copyTo(target: ShortArray): Unit = hostArray(target).copyFrom(this)

/**
 * Fills an array.
 *
 * @throws InvalidArgumentException if it has not as many bytes as the allocation
 */
public fun Allocation.copyTo(target: IntArray): Unit = hostArray(target).copyFrom(this)

/**
 * Fills an array.
 *
 * @throws InvalidArgumentException if it has not as many bytes as the allocation
 */
public fun Allocation.copyTo(target: LongArray): Unit = hostArray(target).copyFrom(this)

/**
 * Fills an array.
 *
 * @throws InvalidArgumentException if it has not as many bytes as the allocation
 */
public fun Allocation.copyTo(target: FloatArray): Unit = hostArray(target).copyFrom(this)

/**
 * Fills an array.
 *
 * @throws InvalidArgumentException if it has not as many bytes as the allocation
 */
public fun Allocation.copyTo(target: DoubleArray): Unit = hostArray(target).copyFrom(this)

/**
 * All bytes as a new array.
 *
 * @throws InvalidArgumentException if they are no whole elements, or too many for an array
 */
public fun Allocation.toByteArray(): ByteArray =
    ByteArray(count("ByteArray", Byte.SIZE_BYTES)).also { copyTo(it) }

/**
 * All bytes as a new array.
 *
 * @throws InvalidArgumentException if they are no whole elements, or too many for an array
 */
public fun Allocation.toShortArray(): ShortArray =
    ShortArray(count("ShortArray", Short.SIZE_BYTES)).also { copyTo(it) }

/**
 * All bytes as a new array.
 *
 * @throws InvalidArgumentException if they are no whole elements, or too many for an array
 */
public fun Allocation.toIntArray(): IntArray =
    IntArray(count("IntArray", Int.SIZE_BYTES)).also { copyTo(it) }

/**
 * All bytes as a new array.
 *
 * @throws InvalidArgumentException if they are no whole elements, or too many for an array
 */
public fun Allocation.toLongArray(): LongArray =
    LongArray(count("LongArray", Long.SIZE_BYTES)).also { copyTo(it) }

/**
 * All bytes as a new array.
 *
 * @throws InvalidArgumentException if they are no whole elements, or too many for an array
 */
public fun Allocation.toFloatArray(): FloatArray =
    FloatArray(count("FloatArray", Float.SIZE_BYTES)).also { copyTo(it) }

/**
 * All bytes as a new array.
 *
 * @throws InvalidArgumentException if they are no whole elements, or too many for an array
 */
public fun Allocation.toDoubleArray(): DoubleArray =
    DoubleArray(count("DoubleArray", Double.SIZE_BYTES)).also { copyTo(it) }
