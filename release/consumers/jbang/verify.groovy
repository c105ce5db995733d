import groovy.json.JsonSlurper

// What each alias of the catalog prints. The catalog names a snapshot, the bundle has the release.
def expected = [
    'first-program': 'caching allocator of device 0: live 4.00 MiB in 1 allocation, reserved 4.00 MiB',
    'race': 'EARLY_REUSE: memory was allocated again, or may be, while work of its last owner may still use it',
    'kernel-race': 'KERNEL_RACE: two threads of a launch access the same bytes, and nothing orders them',
    'vramkit': 'sim:0'
]
def staged = new File(root, 'release/target/staged').canonicalFile
def version = new File(staged, 'org/vramkit/vramkit-bom').list().find { !it.startsWith('maven-metadata') }
def catalog = new File(basedir, 'jbang-catalog.json')
catalog.text = new File(root, 'jbang-catalog.json').text.replaceAll(/[\d.]+-SNAPSHOT/, version)
def aliases = new JsonSlurper().parse(catalog).aliases
assert aliases.keySet() == expected.keySet()
// Scripts are beside the catalog, and what they name is beside them.
aliases.values()*.'script-ref'.collect { new File(root, it) }.findAll { it.exists() }
    .collectMany { script ->
      [script] + script.readLines().findAll { it =~ '^//(SOURCES|FILES) ' }
          .collect { new File(script.parentFile, it.split('[ =]').last()).canonicalFile }
    }
    .each { file ->
      def copy = new File(basedir, new File(root).canonicalFile.toPath().relativize(file.canonicalFile.toPath()).toString())
      copy.tap { parentFile.mkdirs() }.bytes = file.bytes
    }
// Nothing but the catalog leads to them.
def elsewhere = new File(basedir, 'target/elsewhere').tap { mkdirs() }

def java = System.getProperty('java.home') + '/bin/java'
def log = new File(basedir, 'jbang.log')
def run = { List<String> command ->
  def process = new ProcessBuilder(command).directory(elsewhere)
  process.environment().putAll([JBANG_DIR: "$basedir/target/jbang".toString(), JBANG_REPO: repository])
  def started = process.redirectError(ProcessBuilder.Redirect.appendTo(log)).start()
  def out = started.inputStream.text
  started.waitFor()
  log << out
  return out
}
expected.each { alias, text ->
  // JBang prints the command that its script runs.
  def command = run([java, '-jar', "$basedir/target/jbang-cli.jar".toString(), 'run', '--catalog', catalog.path,
      '--repos', "staged=${staged.toURI()},central".toString(), alias] + (alias == 'vramkit' ? ['devices'] : []))
  assert run(['bash', '-c', command]).contains(text)
}
evaluate(new File(root, 'release/consumers/origins.groovy'))
