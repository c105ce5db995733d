# Sourced by each script of this folder. It makes a temporary folder, which is removed at the end, and enters it.
set -euo pipefail
unset CDPATH

root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"

# Ends with 2: the finding cannot be tried here.
cannot() {
  echo "cannot run here: $1" >&2
  exit 2
}

# Sets `java` and `javac` of the JDK in JAVA_HOME or on the PATH.
use_jdk() {
  local bin=""
  [ -z "${JAVA_HOME:-}" ] || bin="$JAVA_HOME/bin/"
  java="${bin}java"
  javac="${bin}javac"
  command -v "$java" >/dev/null && command -v "$javac" >/dev/null || cannot "no JDK; install JDK 17 or newer, or set JAVA_HOME"
}

# Sets `java` and `javac` of JDK 25: the folder in JAVA_HOME_25_X64, or one below /usr/lib/jvm.
use_jdk_25() {
  local home
  home="$(ls -d "${JAVA_HOME_25_X64:-}" /usr/lib/jvm/*25* 2>/dev/null | head -n 1 || true)"
  [ -x "$home/bin/javac" ] || cannot "this finding needs JDK 25; set JAVA_HOME_25_X64 to its folder"
  java="$home/bin/java"
  javac="$home/bin/javac"
}

# fetch GROUP:ARTIFACT:VERSION[:CLASSIFIER]... copies the artifacts and what they need to lib/, by Maven and its settings.
fetch() {
  local maven=mvn each group artifact version classifier
  command -v mvn >/dev/null || maven="$root/mvnw"
  {
    echo '<project><modelVersion>4.0.0</modelVersion><groupId>none</groupId><artifactId>none</artifactId>'
    echo '<version>0</version><dependencies>'
    for each in "$@"; do
      IFS=: read -r group artifact version classifier <<<"$each"
      echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version>"
      [ -z "$classifier" ] || echo "<classifier>$classifier</classifier>"
      echo '</dependency>'
    done
    echo '</dependencies></project>'
  } >pom.xml
  "$maven" -q -B -ntp -f pom.xml org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$work/lib" >maven.log 2>&1 ||
    { cat maven.log >&2; cannot "Maven could not fetch $*"; }
}

# observe VERSIONS COMMAND... runs the command and prints `guess` and what it printed. Ends with 1 if that is not `known`.
observe() {
  local versions="$1" seen
  shift
  seen="$("$@" 2>errors.log)" || { cat errors.log >&2; cannot "the program ended with an error"; }
  echo "versions: $versions"
  sed 's/^/guess:    /' <<<"$guess"
  sed 's/^/observed: /' <<<"$seen"
  if [ "$seen" != "$known" ]; then
    sed 's/^/before:   /' <<<"$known"
    echo "CHANGED: the finding no longer holds as written"
    exit 1
  fi
  echo "the finding holds"
}

jdk_version() {
  "$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.version = /JDK /p'
}
