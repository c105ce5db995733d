@file:JvmName("AllocateAndCopyKt")

package org.vramkit.examples

import java.nio.ByteBuffer
import org.vramkit.api.device.Backend
import org.vramkit.api.discovery.Backends
import org.vramkit.pool.caching.CachingAllocator

/** Takes memory from the caching allocator, copies text to the device and back. */
fun main() = Backends.open().use { println(allocateAndCopy(it)) }

fun allocateAndCopy(backend: Backend): String {
    val text = "hello, device".toByteArray()
    val device = backend.getDevice(0)
    CachingAllocator.create(device).use { allocator ->
        device.createStream().use { stream ->
            allocator.allocateCopy(ByteBuffer.wrap(text), stream).use { there ->
                allocator.allocate(there.size, stream).use { copy ->
                    stream.copy(copy.address, there.address, there.size)
                    val back = ByteArray(text.size)
                    stream.copyToHost(ByteBuffer.wrap(back), copy.address)
                    return back.decodeToString()
                }
            }
        }
    }
}
