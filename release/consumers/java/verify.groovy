def log = new File(basedir, 'build.log').text
assert log.contains('the five lines ran')
assert log.contains('EARLY_REUSE: memory was allocated again, or may be, while work of its last owner may still use it')
assert log.contains('Tests run: 1, Failures: 1, Errors: 0, Skipped: 0')
evaluate(new File(root, 'release/consumers/origins.groovy'))
