// The first program of docs/kotlin.md.
def part = (new File(root, 'docs/kotlin.md').text =~ /(?s)```kotlin\n(.*?)```/)[0][1]
new File(basedir, 'src/main/kotlin').mkdirs()
new File(basedir, 'src/main/kotlin/FiveLines.kt').text = """$part
fun main() {
  fiveLines()
  println("the five lines ran")
}
"""
return true
