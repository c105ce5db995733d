package org.vramkit.kotlin

import java.util.concurrent.CancellationException
import java.util.concurrent.atomic.AtomicBoolean
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.vramkit.api.error.ClosedException
import org.vramkit.api.error.FatalDeviceException
import org.vramkit.sim.SimBackend
import org.vramkit.sim.SimDevice
import org.vramkit.sim.SimStream
import org.vramkit.sim.driver.CallSelector
import org.vramkit.sim.driver.Fault
import org.vramkit.sim.driver.FaultPlan
import org.vramkit.sim.hazard.HazardCode
import org.vramkit.sim.hazard.LeakKind
import org.vramkit.testkit.sim.ExpectHazard
import org.vramkit.testkit.sim.SimulatedGpu

@SimulatedGpu(schedule = "lazy")
@DisplayName("17.27 Awaiting a stream")
class StreamAwaitTest {

    @Test
    @DisplayName("lets its work run and continues when it is complete")
    fun waits(stream: SimStream) {
        val ran = AtomicBoolean()
        stream.callHost("work") { ran.set(true) }
        assertFalse(ran.get())
        runBlocking { stream.await() }
        assertTrue(ran.get())
    }

    @Test
    @DisplayName("waits for no work that was submitted after it began")
    fun waitsForWhatWasThere(backend: SimBackend, stream: SimStream) {
        val gate = backend.createGate("later")
        runBlocking {
            launch(start = CoroutineStart.UNDISPATCHED) { stream.await() }
            stream.waitFor(gate)
        }
        gate.open()
    }

    @Test
    @DisplayName("blocks no other coroutine of its thread")
    fun suspends(backend: SimBackend, stream: SimStream) {
        val gate = backend.createGate("gate")
        stream.waitFor(gate)
        runBlocking {
            launch(start = CoroutineStart.UNDISPATCHED) { stream.await() }
            // Only this thread opens it.
            gate.open()
        }
    }

    @Test
    @DisplayName("does not wait for other waiting coroutines, however many there are")
    fun many(backend: SimBackend, device: SimDevice, free: SimStream) {
        val gate = backend.createGate("gate")
        gpuScope {
            val held = List(200) { own(device.createStream()) }
            held.forEach { it.waitFor(gate) }
            runBlocking {
                held.forEach { launch(start = CoroutineStart.UNDISPATCHED) { it.await() } }
                free.await()
                gate.open()
            }
            assertTrue(held.all { it.isIdle })
        }
    }

    @Test
    @DisplayName("continues if the stream is closed meanwhile")
    fun closedMeanwhile(backend: SimBackend, device: SimDevice) {
        val gate = backend.createGate("gate")
        val stream = device.createStream()
        val ran = AtomicBoolean()
        stream.waitFor(gate)
        stream.callHost("work") { ran.set(true) }
        runBlocking {
            launch(start = CoroutineStart.UNDISPATCHED) {
                stream.await()
                assertTrue(ran.get())
            }
            stream.close()
            gate.open()
        }
    }

    @Test
    @ExpectHazard(HazardCode.INVALID_HANDLE)
    @DisplayName("of a closed stream is rejected and leaves nothing behind")
    fun closedBefore(device: SimDevice) {
        val stream = device.createStream()
        stream.close()
        assertThrows<ClosedException> { runBlocking { stream.await() } }
    }

    @Test
    @DisplayName("throws what the wait throws, and leaves nothing behind")
    fun waitFails(backend: SimBackend, stream: SimStream) {
        val wait = CallSelector.of("cuEventSynchronize").withNth(1)
        backend.faults.inject(FaultPlan.NONE.fail(wait, Fault.FATAL))
        val failure = assertThrows<FatalDeviceException> { runBlocking { stream.await() } }
        assertEquals("cuEventSynchronize", failure.status.call())
    }

    @Test
    @DisplayName("ends at once when cancelled, while the work goes on")
    fun cancelled(backend: SimBackend, stream: SimStream) {
        val gate = backend.createGate("gate")
        val ran = AtomicBoolean()
        stream.waitFor(gate)
        stream.callHost("work") { ran.set(true) }
        runBlocking {
            val waiting = launch(start = CoroutineStart.UNDISPATCHED) { stream.await() }
            waiting.cancelAndJoin()
            assertFalse(ran.get())
        }
        gate.open()
        stream.synchronize()
        assertTrue(ran.get())
        // The thread behind it is about to give its event back; the test fails where it does not.
        runBlocking {
            repeat(10_000) { if (backend.leaks.any { it.kind == LeakKind.EVENT }) delay(1) }
        }
    }

    @Test
    @DisplayName("by a coroutine that is cancelled already does nothing at all")
    fun cancelledBefore(backend: SimBackend, stream: SimStream) {
        val calls = backend.driverCalls.total
        runBlocking {
            launch {
                currentCoroutineContext().job.cancel()
                assertThrows<CancellationException> { stream.await() }
            }
        }
        assertEquals(calls, backend.driverCalls.total)
    }
}
