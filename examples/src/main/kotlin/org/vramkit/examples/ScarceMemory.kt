package org.vramkit.examples

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.future.await
import kotlinx.coroutines.runBlocking
import org.vramkit.api.allocator.Allocator
import org.vramkit.api.device.Backend
import org.vramkit.kotlin.gpuScope
import org.vramkit.pool.caching.CachingAllocator
import org.vramkit.pressure.Admission
import org.vramkit.pressure.Demand

/** Suspends until the job's memory is there; a coroutine that is cancelled leaves the line. */
suspend fun <T> Admission.withGrant(demand: Demand, job: suspend (Allocator) -> T): T =
    acquireAsync(demand).await().use { job(it.allocator) }

/** Jobs that need half of the device and a little more each, so that one runs at a time. */
fun jobsInTurn(backend: Backend, jobs: Int): Long = gpuScope {
    val device = backend.getDevice(0)
    val gate = own(Admission.over(own(CachingAllocator.create(device))).build())
    val bytes = device.properties.totalMemoryBytes / 2 + 1
    runBlocking(Dispatchers.Default) {
        List(jobs) {
            async {
                gate.withGrant(Demand.of("job", bytes)) { memory ->
                    memory.allocate(bytes / 2).use { block -> block.size }
                }
            }
        }.awaitAll()
    }
    gate.statistics.admitted()
}
