package org.vramkit.kotlin

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import java.io.File
import java.io.PrintWriter
import java.io.StringWriter
import java.util.spi.ToolProvider

@DisplayName("The module for Kotlin")
class ModuleDirectionTest {
    private val allowed = listOf(
        "java.",
        "kotlin.",
        "kotlinx.coroutines.",
        "org.jetbrains.annotations.",
        "org.vramkit.api.",
        "org.vramkit.partition.",
        "org.vramkit.pool.",
        "org.vramkit.kotlin.",
    )

    @Test
    @DisplayName("sees the api, the pool and the partition, Kotlin and its coroutines, and no backend")
    fun direction() {
        val files = File("target/classes").walk().filter { it.extension == "class" && it.name != "module-info.class" }
        val out = StringWriter()
        val jdeps = ToolProvider.findFirst("jdeps").orElseThrow()
        val arguments = listOf("-verbose:class", "-filter:none") + files.map { it.path }
        assertEquals(0, jdeps.run(PrintWriter(out), PrintWriter(out), *arguments.toTypedArray()), out.toString())
        val uses = out.toString().lines().filter { it.startsWith("   ") && "->" in it }.map { it.trim().split(Regex("\\s+")) }
        assertTrue(uses.any { it.first() == "org.vramkit.kotlin.GpuScope" }, "${uses.size} uses")
        assertEquals(listOf<List<String>>(), uses.filter { use -> allowed.none { use[2].startsWith(it) } })
    }
}
