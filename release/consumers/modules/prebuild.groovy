// The README's imports and five lines.
def parts = (new File(root, 'README.md').text =~ /(?s)```java\n(.*?)```/).collect { it[1] }
new File(basedir, 'src/main/java/com/example').mkdirs()
new File(basedir, 'src/main/java/com/example/FiveLines.java').text = """package com.example;
${parts[0]}
public class FiveLines {
  public static void main(String[] args) {
${parts[1]}
    System.out.println("the five lines ran");
  }
}
"""
return true
