// The race is reported at the line of the kernel that still reads, and the other test is green.
def files = []
new File(basedir, 'first-steps/src').eachFileRecurse { if (it.file) files += it }
assert files.size() == 1
def test = files[0]
def line = test.readLines().findIndexOf { it.contains('training.launch(') } + 1
def log = new File(basedir, 'build.log').text
assert log.contains('EARLY_REUSE: memory was allocated again, or may be, while work of its last owner may still use it')
assert log.contains("at com.example.BatchTest.batchIsReusedWhenTrained(${test.name}:$line)")
assert log.contains('Tests run: 2, Failures: 1, Errors: 0, Skipped: 0')
assert new File(basedir, 'first-steps/.github/workflows/build.yml').exists()
evaluate(new File(root, 'release/consumers/origins.groovy'))
return test.name
