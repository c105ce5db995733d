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

/** Suspends until the job's memory is granted. Cancelling the coroutine withdraws the demand. */
suspend fun <T> Admission.withGrant(demand: Demand, job: suspend (Allocator) -> T): T =
    acquireAsync(demand).await().use { job(it.allocator) }

/** Runs jobs one at a time, because each needs slightly more than half of the device. */
fun jobsInTurn(backend: Backend, jobs: Int): Long = gpuScope {
    val device = backend.getDevice(0)
    val admission = own(Admission.over(own(CachingAllocator.create(device))).build())
    val bytes = device.properties.totalMemoryBytes / 2 + 1
    runBlocking(Dispatchers.Default) {
        List(jobs) {
            async {
                admission.withGrant(Demand.of("job", bytes)) { memory ->
                    memory.allocate(bytes / 2).use { block -> block.size }
                }
            }
        }.awaitAll()
    }
    admission.statistics.admitted()
}
