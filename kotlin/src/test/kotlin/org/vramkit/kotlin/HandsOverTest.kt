package org.vramkit.kotlin

import java.util.concurrent.CopyOnWriteArrayList
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.vramkit.api.device.Device
import org.vramkit.api.device.Event
import org.vramkit.api.device.HostEdge
import org.vramkit.api.device.Stream
import org.vramkit.sim.SimDevice
import org.vramkit.sim.SimStream
import org.vramkit.testkit.sim.SimulatedGpu

@SimulatedGpu
@DisplayName("17.27 Awaiting a stream hands over")
class HandsOverTest {
    private val steps = CopyOnWriteArrayList<String>()
    private val caller = Thread.currentThread()

    private fun note(step: String) {
        steps += if (Thread.currentThread() === caller) "$step here" else "$step behind"
    }

    private inner class Watched(private val stream: Stream) : Stream by stream {
        override fun getDevice(): Device = object : Device by stream.device {
            override fun createHostEdge() = object : HostEdge {
                override fun publish() = note("publish")

                override fun receive() = note("receive")
            }

            override fun createEvent(): Event {
                val event = stream.device.createEvent()
                return object : Event by event {
                    override fun record(of: Stream) {
                        note("record")
                        event.record(stream)
                    }

                    override fun synchronize() {
                        note("wait")
                        event.synchronize()
                    }

                    override fun close() {
                        event.close()
                        note("close")
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("the coroutine's knowledge to the waiting thread, and the thread's back")
    fun handsOver(stream: SimStream) {
        runBlocking { Watched(stream).await() }
        assertEquals(
            listOf(
                "record here",
                "publish here",
                "receive behind",
                "wait behind",
                "publish behind",
                "close behind",
                "receive here",
            ),
            steps,
        )
    }
}
