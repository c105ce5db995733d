def log = new File(basedir, 'build.log').text
assert log.contains('the five lines ran')
assert log.contains('KERNEL_RACE: two threads of a launch access the same bytes, and nothing orders them')
assert log.contains('Tests run: 1, Failures: 1, Errors: 0, Skipped: 0')
evaluate(new File(root, 'release/consumers/origins.groovy'))
