import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import GithubSlugger from 'github-slugger'
import { defineConfig } from 'vitepress'

// Where docs/site puts the pages, as they lie in the repository, and the repository itself.
const pages = resolve(import.meta.dirname, '..')
const repository = process.env.REPOSITORY
const sources = `${process.env.HOME_PAGE}/blob/main`
const modules = process.env.MODULES.split(' ')

/** Links to a README lead to the index made of it; those out of the pages, such as to a source, to the file on the project's page. */
function linkSources(md) {
  const open = md.renderer.rules.link_open
  md.renderer.rules.link_open = (tokens, index, options, env, self) => {
    const link = tokens[index].attrGet('href').replace(/README\.md(?=#|$)/, 'index.md')
    tokens[index].attrSet('href', link)
    if (!/^([a-z]+:|#|\/)/.test(link) && !/\.md(#|$)/.test(link)) {
      const page = env.path ?? resolve(pages, env.relativePath)
      const path = relative(pages, resolve(dirname(page), link)).split(sep).join('/')
      if (!existsSync(resolve(repository, path))) {
        throw new Error(`${page}: no file ${path}`)
      }
      const isFolder = statSync(resolve(repository, path)).isDirectory()
      tokens[index].attrSet('href', (isFolder ? sources.replace('/blob/', '/tree/') : sources) + '/' + path)
    }
    return open(tokens, index, options, env, self)
  }
}

/** A block of Java and the block of Kotlin right below it become tabs. */
function joinLanguages(md) {
  const block = '((?:(?!```).*\\n)*)```'
  const twins = new RegExp('^```java\\n' + block + '\\n\\n```kotlin\\n' + block + '$', 'gm')
  md.core.ruler.before('block', 'languages', (state) => {
    state.src = state.src.replace(twins, '::: code-group\n```java [Java]\n$1```\n```kotlin [Kotlin]\n$2```\n:::')
  })
}

const link = (text, page) => ({ text, link: page })
/** A page of docs by its first heading. */
const doc = (name) => link(readFileSync(resolve(pages, 'docs', `${name}.md`), 'utf8').match(/^# (.*)$/m)[1].replaceAll('`', ''), `/docs/${name}`)

export default defineConfig({
  title: 'Vramkit',
  description: 'GPU memory for the JVM',
  base: process.env.BASE ?? '/',
  outDir: process.env.OUT,
  // They are copied beside the pages after these are made.
  ignoreDeadLinks: [/^\/javadoc\//],
  markdown: {
    // Every page is plain Markdown: what looks like a tag is text.
    html: false,
    languageAlias: { cuda: 'cpp' },
    anchor: { slugify: (heading) => new GithubSlugger().slug(heading) },
    config: (md) => {
      linkSources(md)
      joinLanguages(md)
    },
  },
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      link('Documents', '/docs/'),
      link('Changes', '/CHANGELOG'),
      { text: 'Javadoc', items: modules.map((each) => ({ text: each, link: `/javadoc/${each}/index.html`, target: '_self' })) },
    ],
    sidebar: [
      { text: 'First programs', items: [link('Five lines', '/'), link('Archetype', '/archetype/'), ...['first-program', 'kotlin', 'pipelines', 'managed', 'scatter'].map(doc)] },
      {
        text: 'How to',
        items: ['setup', 'cuda', 'simulator-junit', 'simulator-shrink', 'observe', 'view', 'tune', 'pressure', 'native', 'backends', 'builds', 'recipes'].map(doc),
      },
      { text: 'Reference', items: ['options', 'codes', 'simulator', 'traces', 'benchmarks', 'glossary', 'requirements'].map(doc) },
      { text: 'Explanation', items: ['architecture', 'internals', 'simulator-model', 'decisions'].map(doc) },
    ],
    socialLinks: [{ icon: 'github', link: process.env.HOME_PAGE }],
  },
})
