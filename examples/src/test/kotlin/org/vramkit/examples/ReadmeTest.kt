package org.vramkit.examples

import java.nio.file.Files
import java.nio.file.Path
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test

/** What the README prints is code of this module, which is compiled and run here. */
@DisplayName("The README")
class ReadmeTest {

    private fun blocks(language: String): List<String> =
        Regex("```$language\n(.*?)```", RegexOption.DOT_MATCHES_ALL)
            .findAll(Files.readString(Path.of("..", "README.md")))
            .map { it.groupValues[1] }
            .toList()

    private fun lines(text: String) = text.lines().map { it.trim() }.filter { it.isNotEmpty() }

    private fun assertPartOf(file: String, block: String) {
        val source = lines(Files.readString(Path.of("src", "main", file)))
        val wanted = lines(block)
        assertTrue(
            source.windowed(wanted.size).any { it == wanted },
            "the README's lines are not in $file:\n$block",
        )
    }

    @Test
    @DisplayName("prints the example in Java that runs")
    fun java() {
        assertPartOf("java/org/vramkit/examples/FiveLines.java", blocks("java").last())
        FiveLines.main(arrayOf())
    }

    @Test
    @DisplayName("prints the example in Kotlin that runs")
    fun kotlin() {
        assertPartOf("kotlin/org/vramkit/examples/FiveLines.kt", blocks("kotlin").single())
        fiveLines()
    }
}
