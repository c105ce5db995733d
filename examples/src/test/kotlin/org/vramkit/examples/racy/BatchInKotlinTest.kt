package org.vramkit.examples.racy

import org.junit.jupiter.api.Test
import org.vramkit.pool.caching.CachingAllocator
import org.vramkit.sim.*
import org.vramkit.testkit.sim.SimulatedGpu

@SimulatedGpu
class BatchInKotlinTest {
    @Test
    fun `a batch is reused when trained`(device: SimDevice, loading: SimStream, training: SimStream) {
        CachingAllocator.create(device).use { allocator ->
            allocator.allocate(4096, loading).use { batch ->
                loading.fill(batch.address, 1, 4096)
                loading.synchronize()
                training.launch(SimKernel.named("train").reads(batch.address, 4096).build())
            } // training may still read it: batch.recordUse(training) is missing
            allocator.allocate(4096, loading).close() // the same memory
        }
    }
}
