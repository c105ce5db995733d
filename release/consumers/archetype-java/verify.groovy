assert evaluate(new File(root, 'release/consumers/archetype.groovy')) == 'BatchTest.java'
