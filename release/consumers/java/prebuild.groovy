// The programs of the README: imports and five lines, and the test of a kernel, which fails.
def parts = (new File(root, 'README.md').text =~ /(?s)```java\n(.*?)```/).collect { it[1] }
def file = { String name, String text -> new File(basedir, name).tap { parentFile.mkdirs() }.text = text }
file('src/main/java/com/example/FiveLines.java', """package com.example;
${parts[0]}
public class FiveLines {
  public static void main(String[] args) {
${parts[1]}
    System.out.println("the five lines ran");
  }
}
""")
def racy = 'org/vramkit/examples/racy'
file("src/test/java/$racy/ReverseTest.java", parts[2])
file("src/test/resources/$racy/reverse.ptx", new File(root, "examples/src/test/resources/$racy/reverse.ptx").text)
return true
