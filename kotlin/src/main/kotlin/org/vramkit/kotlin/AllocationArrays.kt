package org.vramkit.kotlin

import org.vramkit.api.allocator.Allocation
import org.vramkit.api.allocator.Allocator
import org.vramkit.api.device.Stream
import org.vramkit.api.error.InvalidArgumentException

/*
 * Copies between arrays of primitive types and allocations, on the allocation's stream. A copy from
 * an array returns when the array may be reused; a copy to an array returns when it is filled.
 */

/** Allocates memory for a copy, and frees it if the copy fails. */
private fun Allocator.allocateCopy(source: HostArray, stream: Stream): Allocation =
    allocate(source.bytes, stream).orClose { source.copyTo(it) }

/** Returns the length of an array with elements of [width] bytes that holds the allocation. */
private fun Allocation.count(kind: String, width: Int): Int {
    val count = size / width
    if (size % width != 0L || count > Int.MAX_VALUE) {
        throw InvalidArgumentException(
            "an allocation of $size bytes cannot become a $kind with elements of $width bytes: " +
                if (size % width != 0L) {
                    "the size is not a multiple of the width"
                } else {
                    "it is too large; read it in parts by its stream"
                },
        )
    }
    return count.toInt()
}

/**
 * Allocates memory for an array and copies the array to the device.
 *
 * @param stream the stream that the memory belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun Allocator.allocateCopy(source: ByteArray, stream: Stream): Allocation =
    allocateCopy(hostArray(source), stream)

/**
 * Allocates memory for an array and copies the array to the device.
 *
 * @param stream the stream that the memory belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun Allocator.allocateCopy(source: ShortArray, stream: Stream): Allocation =
    allocateCopy(hostArray(source), stream)

/**
 * Allocates memory for an array and copies the array to the device.
 *
 * @param stream the stream that the memory belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun Allocator.allocateCopy(source: IntArray, stream: Stream): Allocation =
    allocateCopy(hostArray(source), stream)

/**
 * Allocates memory for an array and copies the array to the device.
 *
 * @param stream the stream that the memory belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun Allocator.allocateCopy(source: LongArray, stream: Stream): Allocation =
    allocateCopy(hostArray(source), stream)

/**
 * Allocates memory for an array and copies the array to the device.
 *
 * @param stream the stream that the memory belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun Allocator.allocateCopy(source: FloatArray, stream: Stream): Allocation =
    allocateCopy(hostArray(source), stream)

/**
 * Allocates memory for an array and copies the array to the device.
 *
 * @param stream the stream that the memory belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun Allocator.allocateCopy(source: DoubleArray, stream: Stream): Allocation =
    allocateCopy(hostArray(source), stream)

/**
 * Copies an array to the allocation.
 *
 * @throws InvalidArgumentException if its size differs from the allocation's
 */
public fun Allocation.copyFrom(source: ByteArray): Unit = hostArray(source).copyTo(this)

/**
 * Copies an array to the allocation.
 *
 * @throws InvalidArgumentException if its size differs from the allocation's
 */
public fun Allocation.copyFrom(source: ShortArray): Unit = hostArray(source).copyTo(this)

/**
 * Copies an array to the allocation.
 *
 * @throws InvalidArgumentException if its size differs from the allocation's
 */
public fun Allocation.copyFrom(source: IntArray): Unit = hostArray(source).copyTo(this)

/**
 * Copies an array to the allocation.
 *
 * @throws InvalidArgumentException if its size differs from the allocation's
 */
public fun Allocation.copyFrom(source: LongArray): Unit = hostArray(source).copyTo(this)

/**
 * Copies an array to the allocation.
 *
 * @throws InvalidArgumentException if its size differs from the allocation's
 */
public fun Allocation.copyFrom(source: FloatArray): Unit = hostArray(source).copyTo(this)

/**
 * Copies an array to the allocation.
 *
 * @throws InvalidArgumentException if its size differs from the allocation's
 */
public fun Allocation.copyFrom(source: DoubleArray): Unit = hostArray(source).copyTo(this)

/**
 * Fills an array from the allocation.
 *
 * @throws InvalidArgumentException if its size differs from the allocation's
 */
public fun Allocation.copyTo(target: ByteArray): Unit = hostArray(target).copyFrom(this)

/**
 * Fills an array from the allocation.
 *
 * @throws InvalidArgumentException if its size differs from the allocation's
 */
public fun Allocation.copyTo(target: ShortArray): Unit = hostArray(target).copyFrom(this)

/**
 * Fills an array from the allocation.
 *
 * @throws InvalidArgumentException if its size differs from the allocation's
 */
public fun Allocation.copyTo(target: IntArray): Unit = hostArray(target).copyFrom(this)

/**
 * Fills an array from the allocation.
 *
 * @throws InvalidArgumentException if its size differs from the allocation's
 */
public fun Allocation.copyTo(target: LongArray): Unit = hostArray(target).copyFrom(this)

/**
 * Fills an array from the allocation.
 *
 * @throws InvalidArgumentException if its size differs from the allocation's
 */
public fun Allocation.copyTo(target: FloatArray): Unit = hostArray(target).copyFrom(this)

/**
 * Fills an array from the allocation.
 *
 * @throws InvalidArgumentException if its size differs from the allocation's
 */
public fun Allocation.copyTo(target: DoubleArray): Unit = hostArray(target).copyFrom(this)

/**
 * Returns all bytes as a new array.
 *
 * @throws InvalidArgumentException if the size is not a multiple of the element size, or too large
 *     for an array
 */
public fun Allocation.toByteArray(): ByteArray =
    ByteArray(count("ByteArray", Byte.SIZE_BYTES)).also { copyTo(it) }

/**
 * Returns all bytes as a new array.
 *
 * @throws InvalidArgumentException if the size is not a multiple of the element size, or too large
 *     for an array
 */
public fun Allocation.toShortArray(): ShortArray =
    ShortArray(count("ShortArray", Short.SIZE_BYTES)).also { copyTo(it) }

/**
 * Returns all bytes as a new array.
 *
 * @throws InvalidArgumentException if the size is not a multiple of the element size, or too large
 *     for an array
 */
public fun Allocation.toIntArray(): IntArray =
    IntArray(count("IntArray", Int.SIZE_BYTES)).also { copyTo(it) }

/**
 * Returns all bytes as a new array.
 *
 * @throws InvalidArgumentException if the size is not a multiple of the element size, or too large
 *     for an array
 */
public fun Allocation.toLongArray(): LongArray =
    LongArray(count("LongArray", Long.SIZE_BYTES)).also { copyTo(it) }

/**
 * Returns all bytes as a new array.
 *
 * @throws InvalidArgumentException if the size is not a multiple of the element size, or too large
 *     for an array
 */
public fun Allocation.toFloatArray(): FloatArray =
    FloatArray(count("FloatArray", Float.SIZE_BYTES)).also { copyTo(it) }

/**
 * Returns all bytes as a new array.
 *
 * @throws InvalidArgumentException if the size is not a multiple of the element size, or too large
 *     for an array
 */
public fun Allocation.toDoubleArray(): DoubleArray =
    DoubleArray(count("DoubleArray", Double.SIZE_BYTES)).also { copyTo(it) }
