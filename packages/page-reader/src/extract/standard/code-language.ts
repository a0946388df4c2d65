import type { Element } from '../tree/nodes.ts'

/** The language of a piece of code, as its elements or what is around it alone tell it. */
export function languageAround(element: Element): string | undefined {
  // The first may have the numbers of the lines.
  for (const inner of element.querySelectorAll('code').slice(0, 2)) {
    const language = languageOf(inner)
    if (language) return language
  }
  let around: Element | null = element
  for (let level = 0; around && level < maxLevels && !isPage.has(around.localName); level++) {
    const language: string | undefined = languageOf(around)
    if (language) return language
    // What has more than this piece tells nothing of it.
    const parent: Element | null = around.parentElement
    if (!parent || hasOther(parent, around)) return undefined
    around = parent
  }
  return undefined
}

const maxLevels = 5
const isPage: ReadonlySet<string> = new Set(['article', 'main', 'section', 'body', 'html', 'li', 'td'])

function hasOther(parent: Element, child: Element): boolean {
  for (let other = parent.firstElementChild; other; other = other.nextElementSibling)
    if (other !== child && /^(?:p|pre|h[1-6]|ul|ol|table|blockquote)$/.test(other.localName)) return true
  return false
}

function languageOf(element: Element): string | undefined {
  for (const name of attributes) {
    const language = known(element.getAttribute(name) ?? '')
    if (language) return language
  }
  // Elsewhere it has the language of people, whose names have two letters, too.
  const lang = element.localName === 'pre' ? (element.getAttribute('lang') ?? '') : ''
  if (/^(?:[a-z+#]{3,20}|js|ts|py|rb|go|sh|cs|c)$/i.test(lang)) return known(lang)
  const value = (element.getAttribute('class') ?? '').slice(0, 300)
  if (!value) return undefined
  const told = [
    ...value.matchAll(
      /(?:^|\s)(?:language-|lang-|lang:|mw-highlight-lang-|highlight-source-|highlight-text-|brush:\s?)([\w+#.-]{1,20})/gi,
    ),
  ]
  for (const [, name = ''] of told) {
    const language = known(name)
    if (language) return language
  }
  const names = value.split(/\s+/)
  if (!names.some((name) => highlighters.has(name))) {
    const sphinx = names.find((name) => /^highlight-[a-z][\w+#]{0,15}$/.test(name))
    return sphinx && known(sphinx.slice('highlight-'.length))
  }
  const others = names.filter((name) => !highlighters.has(name) && /^[a-z][a-z0-9+#]{0,15}$/.test(name))
  return others.length === 1 ? known(others[0] ?? '') : undefined
}

const attributes = [
  ...['data-lang', 'data-language', 'data-code-language', 'data-code-block-lang', 'data-enlighter-language'],
  ...['language', 'syntax'],
]

/** Beside these names stands that of the language. */
const highlighters: ReadonlySet<string> = new Set([
  'hljs',
  'code',
  'highlight',
  'syntaxhighlighter',
  'sourceCode',
  'prettyprint',
])

function known(name: string): string | undefined {
  const language = name.toLowerCase().replace(/^source[-.]/, '')
  return /^[a-z][\w+#.-]{0,19}$/.test(language) && !none.has(language) ? language : undefined
}

const none: ReadonlySet<string> = new Set([
  ...['text', 'txt', 'plain', 'plaintext', 'none', 'default', 'nohighlight', 'no-highlight', 'notranslate', 'code'],
  ...['highlight', 'chroma', 'wrap', 'linenums', 'undefined', 'null', 'auto', 'nocode', 'hljs', 'example', 'table'],
])
