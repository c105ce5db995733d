package org.vramkit.examples

import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.nio.file.Path
import javax.tools.ToolProvider
import kotlin.io.path.createDirectory
import kotlin.io.path.extension
import kotlin.io.path.invariantSeparatorsPathString
import kotlin.io.path.readText
import kotlin.io.path.writeText
import org.jetbrains.kotlin.cli.common.ExitCode
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.DynamicTest
import org.junit.jupiter.api.DynamicTest.dynamicTest
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestFactory
import org.junit.jupiter.api.io.TempDir

/**
 * What documents print in Java and Kotlin is code that the build compiles, and runs where it needs no
 * GPU. A line `// ...` stands for code that is left out. Line breaks and indentation may differ.
 */
@DisplayName("Snippets in documents")
class SnippetsTest {
    private val root = Path.of("..")
    private val generated = setOf("target", ".git", ".mvn")

    private val files: List<Path> by lazy {
        root.toFile().walk()
            .onEnter { it.name !in generated }
            .filter { it.extension in setOf("md", "java", "kt") }
            .map { it.toPath() }
            .toList()
    }

    private val sources: Map<String, List<String>> by lazy {
        files.filter { "/src/" in it.invariantSeparatorsPathString }
            .groupBy({ it.extension }, { squeeze(it.readText()) })
    }

    private fun squeeze(code: String) = code.filterNot(Char::isWhitespace)

    private fun isIn(source: String, parts: List<String>): Boolean {
        var from = 0
        return parts.all { part ->
            val found = source.indexOf(part, from)
            from = found + part.length
            found >= 0
        }
    }

    /** Whether a snippet is all of a file of Kotlin, with its package or behind it. */
    private fun isWhole(source: String, snippet: String) =
        squeeze(snippet) in
            setOf(squeeze(source), squeeze(source.substringAfter("package ").substringAfter("\n")))

    private fun check(language: String, snippet: String) {
        val parts = snippet.split(Regex("(?m)^\\s*// \\.\\.\\.$")).map(::squeeze)
        assertTrue(
            sources.getValue(language).any { isIn(it, parts) },
            "no file of the build contains this; quote one, or put it into one:\n$snippet",
        )
    }

    @TestFactory
    @DisplayName("are quoted from files that are compiled")
    fun quoted(): List<DynamicTest> =
        files.filter { it.extension == "md" }.flatMap { document ->
            val text = document.readText()
            Regex("(?m)^```(java|kotlin)\\n((?s:.*?))^```").findAll(text).map { block ->
                val line = text.substring(0, block.range.first).count { it == '\n' } + 1
                val language = if (block.groupValues[1] == "java") "java" else "kt"
                dynamicTest("${root.relativize(document)}:$line") {
                    check(language, block.groupValues[2])
                }
            }
        }.also { assertTrue(it.size >= 5, "found $it: is this run in the folder of its module?") }

    /** The first type of a whole program in Java; null for a part of one. */
    private fun typeOf(snippet: String): String? =
        Regex("(?m)^(?:(?:public|final|abstract) )*(?:class|interface|record|enum) (\\w+)").find(snippet)
            ?.takeIf { "// ..." !in snippet }?.groupValues?.get(1)

    @Test
    @DisplayName("in Java that are whole programs compile as they stand, in a package of their own if they name none")
    fun programs(@TempDir folder: Path) {
        val programs = files.filter { it.extension == "md" }.flatMap { document ->
            Regex("(?m)^```java\\n((?s:.*?))^```").findAll(document.readText()).map { it.groupValues[1] }
        }.filter { typeOf(it) != null && "org.apache.spark" !in it } // The module for Spark compiles its own.
        assertTrue(programs.size >= 8, "only ${programs.size} programs: is this run in the folder of its module?")
        val sources = programs.mapIndexed { i, program ->
            val named = if (Regex("(?m)^package ").containsMatchIn(program)) program else "package p$i;\n$program"
            folder.resolve("p$i").createDirectory().resolve("${typeOf(program)}.java").apply { writeText(named) }
        }
        val out = ByteArrayOutputStream()
        // One run: each would read all jars again.
        val code = ToolProvider.getSystemJavaCompiler().run(
            null, out, out, "-proc:none", "-cp", System.getProperty("java.class.path"), "-d", "$folder", *sources.map { "$it" }.toTypedArray(),
        )
        assertEquals(0, code) { "$out" }
    }

    @Test
    @DisplayName("in Kotlin are whole files with their imports, so that they compile as shown")
    fun whole() {
        val kotlin = files.filter { it.extension == "kt" }.map { it.readText() }
        val snippets = files.filter { it.extension == "md" }.flatMap { document ->
            Regex("(?m)^```kotlin\\n((?s:.*?))^```").findAll(document.readText()).map { it.groupValues[1] }
        }
        assertTrue(snippets.isNotEmpty(), "no document shows Kotlin")
        snippets.forEach { snippet ->
            assertTrue(kotlin.any { isWhole(it, snippet) }, "not a whole file with imports:\n$snippet")
        }
    }

    /** Costs most of this class, and finds little: they are whole files of the build. */
    @Test
    @Tag("nightly")
    @DisplayName("in Kotlin compile as they stand, in a package of their own if they name none")
    fun kotlin(@TempDir folder: Path) {
        val sources = files.filter { it.extension == "md" }.flatMap { document ->
            Regex("(?m)^```kotlin\\n((?s:.*?))^```").findAll(document.readText()).map { it.groupValues[1] }
        }.mapIndexed { i, snippet ->
            val named = if (snippet.startsWith("package ")) snippet else "package p$i\n$snippet"
            folder.resolve("p$i.kt").apply { writeText(named) }
        }
        val out = ByteArrayOutputStream()
        val code = K2JVMCompiler().exec(
            PrintStream(out), "-no-stdlib", "-no-reflect", "-jvm-target", "17", "-Xjspecify-annotations=strict", "-cp",
            System.getProperty("java.class.path"), "-d", "${folder.resolve("out")}", *sources.map { "$it" }.toTypedArray(),
        )
        assertEquals(ExitCode.OK, code) { "$out" }
    }

    @Test
    @DisplayName("of the README's first steps run, in Java and in Kotlin")
    fun firstSteps() {
        FiveLines.main(arrayOf())
        fiveLines()
    }
}
