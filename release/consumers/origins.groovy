// Vramkit comes from the bundle and from nowhere else.
def origins = []
new File(repository, 'org/vramkit').eachFileRecurse {
  if (it.name == '_remote.repositories') {
    origins += it.readLines().findAll { line -> line.contains('>') }
  }
}
assert origins
assert origins.every { it.endsWith('>staged=') }
