def other = request.properties['language'] == 'kotlin' ? 'java' : 'kotlin'
new File(request.outputDirectory, "${request.artifactId}/src/test/$other").deleteDir()
