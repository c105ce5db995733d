package org.vramkit.kotlin

import java.util.concurrent.Executor
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.suspendCancellableCoroutine
import org.vramkit.api.device.Stream

/** Threads that sleep until work is done, as many as there are waits: none waits for another. */
private val waiting: Executor = Dispatchers.IO.limitedParallelism(Int.MAX_VALUE).asExecutor()

/**
 * Suspends until everything submitted to the stream so far is done: [Stream.synchronize] for
 * coroutines. What is submitted from then on comes after that work, whichever thread goes on.
 *
 * A thread of [Dispatchers.IO] sleeps for the coroutine meanwhile, beyond that dispatcher's limit
 * where need be. The stream may be closed while a coroutine waits.
 *
 * Cancelling the coroutine ends the wait at once and the work not at all: the thread sleeps on
 * until the work is done, with the one event that it waits for.
 *
 * @throws org.vramkit.api.error.ClosedException if the stream is closed
 * @throws org.vramkit.api.error.GpuException if the work has failed
 */
public suspend fun Stream.await() {
    currentCoroutineContext().ensureActive()
    val edge = device.createHostEdge()
    val mark = device.createEvent().orClose { it.record(this) }
    edge.publish()
    suspendCancellableCoroutine { coroutine ->
        waiting.execute {
            val done = runCatching {
                gpuScope {
                    own(mark)
                    edge.receive()
                    mark.synchronize()
                    edge.publish()
                }
            }
            coroutine.resumeWith(done)
        }
    }
    edge.receive()
}
