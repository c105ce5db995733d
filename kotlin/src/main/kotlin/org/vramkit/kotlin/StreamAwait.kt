package org.vramkit.kotlin

import java.util.concurrent.Executor
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.suspendCancellableCoroutine
import org.vramkit.api.device.Stream

/** Runs the blocking waits, one thread each, so that no wait delays another. */
private val waiting: Executor = Dispatchers.IO.limitedParallelism(Int.MAX_VALUE).asExecutor()

/**
 * Suspends until all work submitted to the stream so far is complete: [Stream.synchronize] for
 * coroutines. Work that the coroutine submits afterwards, on any thread, is ordered after that work.
 *
 * A thread of [Dispatchers.IO] blocks for the coroutine, beyond that dispatcher's limit
 * if needed. The stream may be closed while a coroutine waits.
 *
 * Cancelling the coroutine ends the wait at once but not the work: the thread keeps one event and
 * blocks
 * until the work is complete.
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
