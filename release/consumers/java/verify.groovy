def log = new File(basedir, 'build.log').text
assert log.contains('the five lines ran')
assert log.contains('EARLY_REUSE: memory was handed out again, or may be, while work of its last owner may still use it')
assert log.contains('Tests run: 1, Failures: 1, Errors: 0, Skipped: 0')

// Vramkit comes from the bundle and from nowhere else.
def origins = []
new File(repository, 'org/vramkit').eachFileRecurse {
  if (it.name == '_remote.repositories') {
    origins += it.readLines().findAll { line -> line.contains('>') }
  }
}
assert origins
assert origins.every { it.endsWith('>staged=') }
