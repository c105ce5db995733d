package org.vramkit.examples

import java.time.Duration
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.future.await
import kotlinx.coroutines.runBlocking
import org.vramkit.api.allocator.Allocation
import org.vramkit.api.device.Backend
import org.vramkit.api.device.Stream
import org.vramkit.api.units.ByteSize.MIB
import org.vramkit.kotlin.gpuScope
import org.vramkit.pool.caching.CachingAllocator
import org.vramkit.pressure.Retry
import org.vramkit.pressure.SharedAllocation
import org.vramkit.pressure.SpillStore
import org.vramkit.pressure.WaitingAllocator

/** Suspends until other users have freed enough memory. Cancelling the coroutine withdraws the request. */
suspend fun WaitingAllocator.awaitAllocation(bytes: Long, stream: Stream): Allocation =
    allocateAsync(bytes, stream, Dispatchers.Default.asExecutor()).await()

/** Runs coroutines one at a time, because each holds two thirds of the limit. The memory has two owners. */
fun blocksInTurn(backend: Backend, users: Int): Int = gpuScope {
    val device = backend.getDevice(0)
    val limited = own(CachingAllocator.builder(device).limit(96 * MIB).build())
    val stream = own(device.createStream())
    val memory = WaitingAllocator.over(limited, Duration.ZERO)
    runBlocking(Dispatchers.Default) {
        List(users) {
            async {
                SharedAllocation.of(memory.awaitAllocation(64 * MIB, stream)).use { mine ->
                    mine.retain().use { theirs -> theirs.owners }
                }
            }
        }.awaitAll().sum()
    }
}

/** Spills a table to the host while a task whose input is too large works on halves of the input. */
fun spillAndSplit(backend: Backend): List<Long> = gpuScope {
    val device = backend.getDevice(0)
    val allocator = own(CachingAllocator.builder(device).limit(96 * MIB).build())
    val stream = own(device.createStream())
    val store = own(SpillStore.over(allocator).hostLimit(64 * MIB).build())
    val table = own(store.create(64 * MIB, 0))
    table.materialize(stream).use { stream.fill(it.address, 7, it.size) }
    val parts = Retry.over(allocator).withSplit(
        "join",
        160 * MIB,
        { bytes -> listOf(bytes / 2, bytes - bytes / 2) },
        { bytes, memory -> memory.allocate(bytes, stream).use { it.size } },
    )
    table.materialize(stream).use { parts + it.size }
}
