package org.vramkit.examples

import java.nio.file.Files
import java.nio.file.Path
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import org.vramkit.guice.GpuModule
import org.vramkit.sim.DeviceProfile
import org.vramkit.sim.SimBackend

@DisplayName("The examples")
class ExamplesTest {

    private fun <T> onSimulator(example: (SimBackend) -> T): T {
        SimBackend.builder().build().use { backend ->
            val result = example(backend)
            assertEquals(listOf<Any>(), backend.hazards)
            assertEquals(listOf<Any>(), backend.leaks)
            return result
        }
    }

    @Test
    @DisplayName("Allocate and copy, from Java and from Kotlin")
    fun copies() {
        assertEquals("hello, device", onSimulator { AllocateAndCopy.run(it) })
        assertEquals("hello, device", onSimulator { allocateAndCopy(it) })
    }

    @Test
    @DisplayName("A program checked on the simulator outside any test")
    fun checks() {
        assertEquals("0 hazards, 0 leaks", CheckOnSimulator.run { AllocateAndCopy.run(it) })
    }

    @Test
    @DisplayName("Jobs that share scarce memory, from Java and in coroutines")
    fun scarce() {
        assertEquals(
            "learned: 1.00 GiB, owners: 2, parts: 2, came back: 1, suspended: 64.00 MiB",
            onSimulator { ScarceMemory.run(it) },
        )
        assertEquals(8L, onSimulator { jobsInTurn(it, 8) })
        assertTrue(onSimulator { oneModelAtATime(it) })
        assertEquals(16, onSimulator { blocksInTurn(it, 8) })
        val mib = 1L shl 20
        assertEquals(listOf(80 * mib, 80 * mib, 64 * mib), onSimulator { spillAndSplit(it) })
    }

    @Test
    @DisplayName("A matrix product with scratch memory is what the CPU computes")
    fun multiplies() {
        val n = MatmulWithWorkspace.N
        val a = MatmulWithWorkspace.operand(1)
        val b = MatmulWithWorkspace.operand(-1)
        val expected = FloatArray(n * n) { i ->
            (0 until n).map { k -> a[i / n * n + k] * b[k * n + i % n] }.sum()
        }
        assertArrayEquals(expected, onSimulator { MatmulWithWorkspace.run(it) }, 1e-3f)
    }

    @Test
    @DisplayName("17.26 Batches on the streams of a pool, and in coroutines, come back as they went")
    fun batches() {
        assertEquals("12 batches on 4 streams: 66", onSimulator { BatchesOnStreams.run(it) })
        val batches = List(40) { batch -> FloatArray(100) { it + batch / 64f } }
        val back = onSimulator { copyBatches(it, batches) }
        batches.zip(back).forEach { (sent, received) -> assertArrayEquals(sent, received) }
    }

    @Test
    @DisplayName("44.5 Two streams share page-locked buffers, and managed memory needs no copy")
    fun hostMemory() {
        assertEquals("8 batches: 28", onSimulator { PipelineOfTwoStreams.run(it) })
        assertEquals("the device wrote 7", onSimulator { SharedWithTheHost.run(it) })
    }

    @Test
    @DisplayName("22.2 A recording is written when memory runs out")
    fun records(@TempDir folder: Path) {
        assertEquals(
            "out of memory: see memory.pickle",
            onSimulator { MemoryRecorded.run(it, folder) },
        )
        assertTrue(Files.size(folder.resolve("memory.pickle")) > 1000)
    }

    @Test
    @DisplayName("22.4 Metrics tell what is held, and what others hold")
    fun measures() {
        assertEquals(
            "held: 8388608, live: 8388608, others': ${DeviceProfile.H200.contextBytes()}",
            onSimulator { MemoryInMetrics.run(it) },
        )
    }

    @Test
    @DisplayName("A step's private pool ends empty and keeps no memory")
    fun setsApart() {
        assertEquals(
            "step closed all of its memory: true, bytes kept for it: 0",
            onSimulator { StepInPrivatePool.run(it) },
        )
    }

    @Test
    @DisplayName("Scatter over two simulated GPUs is what the CPU computes, from Java and Kotlin")
    fun scatters() {
        val squares = IntArray(10_000)
        val backend = SimBackend.builder()
            .device(DeviceProfile.H200)
            .device(DeviceProfile.RTX_4090)
            .build()
        backend.use {
            val report = ScatterSquares.run(it, squares)
            assertEquals(2, report.tiles.size)
            assertTrue(!report.onCpu)
            assertArrayEquals(IntArray(10_000) { i -> i * i }, squares)
            assertEquals(49_995_000L, scatterSum(it, 10_000))
            assertEquals(listOf<Any>(), it.hazards)
            assertEquals(listOf<Any>(), it.leaks)
        }
    }

    @Test
    @DisplayName("A scatter that is interrupted goes on from its checkpoint")
    fun checkpoint() {
        val backend = SimBackend.builder()
            .device(DeviceProfile.H200)
            .device(DeviceProfile.RTX_4090)
            .build()
        backend.use {
            val array = ByteArray(100_000)
            ScatterWithCheckpoint.run(it, array)
            assertTrue(ScatterWithCheckpoint.isDone(array))
            assertEquals(listOf<Any>(), it.hazards)
            assertEquals(listOf<Any>(), it.leaks)
        }
    }

    @Test
    @DisplayName("Guice wiring, from Java and from Kotlin")
    fun wires() {
        val ofTwo = GpuModule.over {
            SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build()
        }
        assertEquals("1048576 bytes on device 1 of sim", GuiceWiring.run(ofTwo))
        assertEquals(
            "1000 weights, 4096 bytes of scratch",
            wireByGuice(GpuModule.forBackend("sim")),
        )
    }
}
