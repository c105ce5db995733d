package org.vramkit.kotlin

import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.junit.jupiter.api.Assertions.assertNotSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.RepeatedTest
import org.junit.jupiter.api.Test
import org.vramkit.sim.SimBackend
import org.vramkit.sim.SimDevice
import org.vramkit.sim.SimKernel
import org.vramkit.sim.SimStream
import org.vramkit.sim.hazard.HazardCode
import org.vramkit.sim.hazard.Strictness
import org.vramkit.sim.thread.SingleThread
import org.vramkit.testkit.sim.ExpectHazard
import org.vramkit.testkit.sim.SimulatedGpu
import org.vramkit.testkit.sim.SimulatedTest

private const val BYTES = 4096L

@SimulatedGpu(strictness = Strictness.PEDANTIC)
@DisplayName("17.27 To the checker, what follows an awaited stream")
class AwaitedOrderTest {

    private fun SimStream.write(address: Long) =
        launch(SimKernel.named("write").writes(address, BYTES).build())

    private fun SimStream.read(address: Long) =
        launch(SimKernel.named("read").reads(address, BYTES).build())

    private inline fun SimDevice.withMemory(use: (Long) -> Unit) {
        val address = memory.allocate(BYTES)
        use(address)
        synchronize()
        memory.free(address)
    }

    /** Threads that the checker knows take over nothing from those that come after them. */
    private suspend fun SimStream.meetDispatcher() = coroutineScope {
        repeat(16) { launch(Dispatchers.Default) { isIdle; Thread.sleep(1) } }
    }

    @SimulatedTest(seeds = 5, schedules = ["timed", "lazy", "random", "starving"])
    @DisplayName("is ordered after its work")
    fun ordered(device: SimDevice, producer: SimStream, consumer: SimStream) =
        device.withMemory { block ->
            runBlocking {
                producer.write(block)
                producer.await()
                consumer.read(block)
            }
        }

    @Test
    @ExpectHazard(HazardCode.RACE_RAW)
    @DisplayName("races if no coroutine awaits it")
    fun notAwaited(device: SimDevice, producer: SimStream, consumer: SimStream) =
        device.withMemory { block ->
            runBlocking {
                producer.write(block)
                consumer.read(block)
            }
        }

    @Test
    @ExpectHazard(HazardCode.RACE_RAW)
    @DisplayName("races with the work of another stream")
    fun otherAwaited(device: SimDevice, producer: SimStream, consumer: SimStream) =
        device.withMemory { block ->
            runBlocking {
                producer.write(block)
                consumer.await()
                consumer.read(block)
            }
        }

    @Test
    @ExpectHazard(HazardCode.RACE_RAW)
    @DisplayName("races with work submitted after the wait began")
    fun submittedLater(device: SimDevice, producer: SimStream, consumer: SimStream) =
        device.withMemory { block ->
            runBlocking {
                producer.await()
                producer.write(block)
                consumer.read(block)
            }
        }

    @RepeatedTest(10)
    @DisplayName("still comes after its work when the coroutine has moved to another thread")
    fun moves(device: SimDevice, producer: SimStream, consumer: SimStream) =
        device.withMemory { block ->
            runBlocking(Dispatchers.Default) {
                producer.meetDispatcher()
                producer.write(block)
                producer.await()
                repeat(5) { delay(1) }
                consumer.read(block)
            }
        }

    @RepeatedTest(10)
    @DisplayName("comes after it in a coroutine that joins the awaiting coroutine")
    fun joins(device: SimDevice, one: SimStream, other: SimStream, consumer: SimStream) =
        device.withMemory { first ->
            device.withMemory { second ->
                runBlocking(Dispatchers.Default) {
                    one.meetDispatcher()
                    coroutineScope {
                        launch { one.write(first); one.await() }
                        launch { other.write(second); other.await() }
                    }
                    consumer.read(first)
                    consumer.read(second)
                }
            }
        }

    @RepeatedTest(10)
    @ExpectHazard(HazardCode.RACE_RAW)
    @DisplayName("races on any dispatcher if one coroutine awaits nothing")
    fun joinsTooLittle(device: SimDevice, producer: SimStream, consumer: SimStream) =
        device.withMemory { block ->
            runBlocking(Dispatchers.Default) {
                producer.meetDispatcher()
                coroutineScope { launch { producer.write(block) } }
                consumer.read(block)
            }
        }

    /** Runs each piece of a coroutine on the other one of two threads of the program's own. */
    private class TakingTurns : CoroutineDispatcher(), AutoCloseable {
        private val threads = List(2) { SingleThread.named("thread $it") }
        private val turn = AtomicInteger()

        override fun dispatch(context: CoroutineContext, block: Runnable) =
            threads[turn.getAndIncrement() % 2].execute(block)

        override fun close() = threads.forEach { it.shutdown() }
    }

    @Test
    @DisplayName("comes after all that the coroutine knew, on any thread that resumes it")
    fun ownThreads(
        backend: SimBackend,
        device: SimDevice,
        producer: SimStream,
        other: SimStream,
        consumer: SimStream,
    ) = device.withMemory { block ->
        val gate = backend.createGate("gate")
        gpuScope {
            runBlocking(own(TakingTurns())) {
                repeat(4) {
                    other.isIdle
                    yield()
                }
                producer.write(block)
                producer.synchronize()
                // Held, so that it is not done before the coroutine has let go of its thread.
                other.waitFor(gate)
                launch(start = CoroutineStart.UNDISPATCHED) {
                    val before = Thread.currentThread()
                    other.await()
                    assertNotSame(before, Thread.currentThread())
                    consumer.read(block)
                }
                gate.open()
            }
        }
    }

    @Test
    @DisplayName("is reported with the user's lines, not with those that run coroutines")
    fun lines(backend: SimBackend, device: SimDevice, producer: SimStream, consumer: SimStream) {
        device.withMemory { block ->
            runBlocking(Dispatchers.Default) {
                producer.write(block)
                consumer.read(block)
            }
        }
        val report = backend.hazards.single().toString()
        backend.clearHazards()
        assertTrue("AwaitedOrderTest" in report, report)
        assertTrue("kotlinx.coroutines" !in report && "BaseContinuationImpl" !in report, report)
    }
}
