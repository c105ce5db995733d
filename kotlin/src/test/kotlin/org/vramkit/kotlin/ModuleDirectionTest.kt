package org.vramkit.kotlin

import com.tngtech.archunit.core.importer.ClassFileImporter
import com.tngtech.archunit.core.importer.ImportOption
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test

@DisplayName("The module for Kotlin")
class ModuleDirectionTest {
    private val module = ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .importPackages("org.vramkit.kotlin")

    @Test
    @DisplayName("sees the api, the pool and the partition, Kotlin and its coroutines, and no backend")
    fun direction() {
        assertTrue(module.any { it.simpleName == "GpuScope" })
        classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                "java..",
                "kotlin..",
                "kotlinx.coroutines..",
                "org.jetbrains.annotations..",
                "org.vramkit.api..",
                "org.vramkit.partition..",
                "org.vramkit.pool..",
                "org.vramkit.kotlin..",
            )
            .check(module)
    }
}
