def log = new File(basedir, 'build.log').text
assert log.contains('the five lines ran')
evaluate(new File(root, 'release/consumers/origins.groovy'))
