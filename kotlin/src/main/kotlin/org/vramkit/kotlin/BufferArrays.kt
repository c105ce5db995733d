package org.vramkit.kotlin

import org.vramkit.api.allocator.ElementType
import org.vramkit.api.device.Stream
import org.vramkit.api.error.InvalidArgumentException
import org.vramkit.pool.buffer.BufferPool
import org.vramkit.pool.buffer.TypedBuffer

/*
 * Copies between arrays of primitive types and the buffers of a pool, on the buffer's stream. A
 * copy from an array returns when the array may be reused; a copy to an array returns when it is
 * filled.
 */

private fun BufferPool.acquire(type: ElementType, count: Int, stream: Stream): TypedBuffer =
    acquire(type, count.toLong(), stream)

/** Returns the length of an array that holds the buffer. */
private fun TypedBuffer.arraySize(): Int {
    if (count > Int.MAX_VALUE) {
        throw InvalidArgumentException("$this is too long for an array; read it in parts")
    }
    return count.toInt()
}

/**
 * Acquires a buffer of [INT8][ElementType.INT8] for an array and copies the array to the device.
 *
 * @param stream the stream that the buffer belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun BufferPool.acquireCopy(source: ByteArray, stream: Stream): TypedBuffer =
    acquire(ElementType.INT8, source.size, stream).orClose { it.copyFrom(source) }

/**
 * Acquires a buffer of [INT16][ElementType.INT16] for an array and copies the array to the device. For 16-bit
 * floats use [TypedBuffer.copyFrom] on a buffer of their type.
 *
 * @param stream the stream that the buffer belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun BufferPool.acquireCopy(source: ShortArray, stream: Stream): TypedBuffer =
    acquire(ElementType.INT16, source.size, stream).orClose { it.copyFrom(source) }

/**
 * Acquires a buffer of [INT32][ElementType.INT32] for an array and copies the array to the device.
 *
 * @param stream the stream that the buffer belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun BufferPool.acquireCopy(source: IntArray, stream: Stream): TypedBuffer =
    acquire(ElementType.INT32, source.size, stream).orClose { it.copyFrom(source) }

/**
 * Acquires a buffer of [INT64][ElementType.INT64] for an array and copies the array to the device.
 *
 * @param stream the stream that the buffer belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun BufferPool.acquireCopy(source: LongArray, stream: Stream): TypedBuffer =
    acquire(ElementType.INT64, source.size, stream).orClose { it.copyFrom(source) }

/**
 * Acquires a buffer of [FLOAT32][ElementType.FLOAT32] for an array and copies the array to the device.
 *
 * @param stream the stream that the buffer belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun BufferPool.acquireCopy(source: FloatArray, stream: Stream): TypedBuffer =
    acquire(ElementType.FLOAT32, source.size, stream).orClose { it.copyFrom(source) }

/**
 * Acquires a buffer of [FLOAT64][ElementType.FLOAT64] for an array and copies the array to the device.
 *
 * @param stream the stream that the buffer belongs to
 * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
 */
public fun BufferPool.acquireCopy(source: DoubleArray, stream: Stream): TypedBuffer =
    acquire(ElementType.FLOAT64, source.size, stream).orClose { it.copyFrom(source) }

/**
 * Returns all elements as a new array.
 *
 * @throws InvalidArgumentException if the element type differs, or there are too many for an array
 */
public fun TypedBuffer.toByteArray(): ByteArray = ByteArray(arraySize()).also { copyTo(it) }

/**
 * Returns all elements as a new array; 16-bit floats as their bits.
 *
 * @throws InvalidArgumentException if the element type differs, or there are too many for an array
 */
public fun TypedBuffer.toShortArray(): ShortArray = ShortArray(arraySize()).also { copyTo(it) }

/**
 * Returns all elements as a new array.
 *
 * @throws InvalidArgumentException if the element type differs, or there are too many for an array
 */
public fun TypedBuffer.toIntArray(): IntArray = IntArray(arraySize()).also { copyTo(it) }

/**
 * Returns all elements as a new array.
 *
 * @throws InvalidArgumentException if the element type differs, or there are too many for an array
 */
public fun TypedBuffer.toLongArray(): LongArray = LongArray(arraySize()).also { copyTo(it) }

/**
 * Returns all elements as a new array.
 *
 * @throws InvalidArgumentException if the element type differs, or there are too many for an array
 */
public fun TypedBuffer.toFloatArray(): FloatArray = FloatArray(arraySize()).also { copyTo(it) }

/**
 * Returns all elements as a new array.
 *
 * @throws InvalidArgumentException if the element type differs, or there are too many for an array
 */
public fun TypedBuffer.toDoubleArray(): DoubleArray = DoubleArray(arraySize()).also { copyTo(it) }
