// Runs in the browser: what clients of csp do with a text, each in its most permissive way.

declare const mermaid: {
  initialize(options: Readonly<Record<string, unknown>>): void
  render(id: string, source: string): Promise<{ readonly svg: string }>
}
declare const marked: { parse(text: string): string }
declare const markdownit: (options: Readonly<Record<string, boolean>>) => { render(text: string): string }
declare const renderMathInElement: (element: Element, options: Readonly<Record<string, unknown>>) => void
declare const MathJax: { typesetPromise(elements: readonly Element[]): Promise<void>; typesetClear(): void }

mermaid.initialize({ startOnLoad: false, securityLevel: 'loose', suppressErrorRendering: true })
const markdownIt = markdownit({ html: true, linkify: true })
const katexOptions = {
  ...{ trust: true, strict: 'ignore', throwOnError: false },
  delimiters: [
    ['$$', '$$', true],
    ['\\[', '\\]', true],
    ['\\(', '\\)', false],
    ['$', '$', false],
  ].map(([left, right, display]) => ({ left, right, display })),
}
const container = /^[ \t>]*:{3,}[ \t]*\{?\.?mermaid[^\n]*\n([\s\S]*?)(?:^[ \t>]*:{3,}|$(?![\s\S]))/gim
const addressed =
  /^(?:xlink:href|href|src|srcset|action|formaction|data|poster|background|ping|manifest|srcdoc|to|values|from)$/i
let count = 0

function shown(content: { readonly html: string } | { readonly text: string }): HTMLElement {
  const box = document.createElement('div')
  if ('html' in content) box.innerHTML = content.html
  else box.textContent = content.text
  document.body.append(box)
  return box
}

async function drawn(source: string): Promise<HTMLElement> {
  const { svg } = await mermaid.render(`d${count++}`, source).catch(() => ({ svg: '' }))
  return shown({ html: svg })
}

function withKatex(box: HTMLElement): HTMLElement {
  renderMathInElement(box, katexOptions)
  return box
}

/** The elements that a text becomes; `formulas` are those whose formulas MathJax has yet to render. */
async function rendered(text: string) {
  const boxes: HTMLElement[] = []
  const formulas: HTMLElement[] = []
  for (const html of [marked.parse(text), markdownIt.render(text)]) {
    const page = shown({ html })
    boxes.push(page, withKatex(shown({ html })))
    formulas.push(shown({ html }))
    const code = [...page.querySelectorAll('pre, code')]
    const sources = code.filter(({ className }) => /mermaid/i.test(className)).map(({ textContent }) => textContent)
    for (const source of new Set(sources)) boxes.push(await drawn(source))
    for (const { className, textContent } of code)
      if (/math|tex/i.test(className)) formulas.push(shown({ text: `$$${textContent}$$` }))
  }
  for (const [, source = ''] of text.matchAll(container)) boxes.push(await drawn(source))
  // Some read no Markdown, only formulas.
  if (!/[`~]/.test(text)) {
    boxes.push(withKatex(shown({ text })))
    formulas.push(shown({ text }))
  }
  return { boxes, formulas }
}

/** The addresses of other hosts in elements, and what runs, a line each, with the text that is shown. */
function liveIn(box: Element): readonly string[] {
  return [...box.querySelectorAll('*')].flatMap((element) => {
    const style = element.getAttribute('style') ?? ''
    const own = [...element.attributes].flatMap(({ name, value }) => {
      // A menu of Mermaid's own.
      if (/^on/i.test(name)) return value.startsWith('var pu =') ? [] : [`${name} ${value}`]
      const url = addressed.test(name) ? URL.parse(value, document.baseURI) : null
      return url && url.origin !== location.origin ? [`${name} ${url.href} ${element.textContent.slice(0, 100)}`] : []
    })
    return /url\(/i.test(style) ? [...own, `style ${style}`] : own
  })
}

/** What is live in each text, once all of them have been rendered. */
async function renderAll(texts: readonly string[]): Promise<readonly (readonly string[])[]> {
  const all: Awaited<ReturnType<typeof rendered>>[] = []
  for (const text of texts) all.push(await rendered(text))
  await MathJax.typesetPromise(all.flatMap(({ formulas }) => formulas)).catch(() => {})
  const live = all.map(({ boxes, formulas }) => [...boxes, ...formulas].flatMap(liveIn))
  // What was begun to load shows as a request by then.
  await new Promise((done) => setTimeout(done, 100))
  MathJax.typesetClear()
  document.body.replaceChildren()
  return live
}

Object.assign(window, { renderAll })
