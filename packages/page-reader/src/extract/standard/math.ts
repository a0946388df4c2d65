import { withoutSigns } from '../formulas.ts'
import type { ChildNode, Document, Element, Text } from '../tree/nodes.ts'
import { texOf } from './mathml.ts'
import { plainTex, texMarks } from './tex.ts'
import { classNames, textWithin } from './within.ts'

/** Writes the formulas of a page as TeX between marks. What may act, or is nothing that we read, stays as it is. */
export function standardiseMath(document: Document, html: string): void {
  for (const script of document.querySelectorAll('script[type^="math/tex" i]')) ofScript(script)
  for (const element of document.querySelectorAll(rendered)) if (isShown(element)) ofRendered(element)
  for (const math of document.querySelectorAll('math')) if (isShown(math)) ofMath(math)
  for (const image of document.querySelectorAll('img[src]')) ofImage(image)
  if (/<script[^<>]{0,500}(?:mathjax|katex)/i.test(html)) ofText(document.body)
}

/** What MathJax, KaTeX and MediaWiki make of a formula, and elements that keep its TeX. */
const rendered =
  '.katex-display, .katex, mjx-container, .mwe-math-element, [data-latex], [data-tex], [data-katex], .MathJax_SVG, .MathJax'

/** Whether it stands in the document still, and not in what was written. */
function isShown(element: Element): boolean {
  for (let at: Element | null = element; at; at = at.parentElement) if (at.localName === 'html') return true
  return false
}

function ofScript(script: Element): void {
  const tex = textWithin(script, maxSource)
  const isDisplay = /mode\s*=\s*display/i.test(script.getAttribute('type') ?? '')
  if (!write(script, tex, isDisplay)) script.remove()
}

const maxSource = 8000

/** What stands before the script is drawn from it. */
function withoutDrawings(script: Element): void {
  for (
    let before = script.previousElementSibling;
    before && isDrawing(before);
    before = script.previousElementSibling
  ) {
    const between = script.previousSibling
    if (between !== before && (between?.textContent ?? '').trim() !== '') return
    before.remove()
    if (between && between !== before) between.remove()
  }
}

function isDrawing(element: Element): boolean {
  return classNames(element).some((name) => /^(?:MathJax|MathJax_\w{1,20}|MJX\w{0,20}|MathJax_Preview)$/.test(name))
}

function ofRendered(element: Element): void {
  const annotation = element.querySelector('annotation[encoding*="tex" i]')
  const kept = ['data-latex', 'data-tex', 'data-katex'].map((name) => element.getAttribute(name)).find(Boolean)
  const math = element.querySelector('math')
  const image = element.querySelector('img[alt]')
  const tex =
    (annotation ? textWithin(annotation, maxSource) : undefined) ??
    kept ??
    math?.getAttribute('alttext') ??
    (math ? texOf(math) : undefined) ??
    image?.getAttribute('alt') ??
    undefined
  const isDisplay =
    classNames(element).some((name) => /display/i.test(name)) ||
    element.getAttribute('display') === 'true' ||
    math?.getAttribute('display') === 'block'
  if (tex !== undefined && write(element, tex, isDisplay)) return
  // One of the two that stand for the formula is enough.
  if (math && element.querySelector('.katex-html')) math.remove()
}

function ofMath(math: Element): void {
  const annotation = math.querySelector('annotation[encoding*="tex" i]')
  const tex = annotation ? textWithin(annotation, maxSource) : (math.getAttribute('alttext') ?? texOf(math))
  if (tex !== undefined) write(math, tex, math.getAttribute('display') === 'block')
}

/** Pictures of TeX: their alternative text has it, or the address of the service that draws them. */
function ofImage(image: Element): void {
  const alt = (image.getAttribute('alt') ?? '').replace(/^\$+|\$+$/g, '')
  const source = (image.getAttribute('src') ?? '').slice(0, maxSource)
  const names = classNames(image).join(' ')
  const isNamed = /latex|\btex\b|mathtex|mimetex|mwe-math|equation/i.test(`${names} ${source.slice(0, 500)}`)
  const tex = (isNamed && /[\\^_={]/.test(alt)) || /\\[a-z]{2,20}\s?[{\\^_(]/i.test(alt) ? alt : sourceTex(source)
  if (tex) write(image, tex, /display|block|center/i.test(names))
}

/** What an address asks a service to draw: all behind its question mark or one parameter of it, or its last part. */
function sourceTex(source: string): string | undefined {
  const asked =
    /\?(?:[^#]{0,200}&)?(?:latex|tex|chl|eq|math)=([^&#]{2,4000})/i.exec(source) ??
    /[?/]([^?/#=&]{2,4000})$/.exec(source)
  if (!asked?.[1]?.includes('%5C')) return undefined
  try {
    const tex = decodeURIComponent(asked[1])
    return /^\s*[^\w]*\\[a-z]{2}|[\\^_{]/i.test(tex) ? tex : undefined
  } catch {
    return undefined
  }
}

/** Puts TeX into the place of an element; false where it would not be safe, or is none. */
function write(element: Element, source: string, isDisplay: boolean): boolean {
  const tex = plainTex(withoutStyle(source))
  if (tex === undefined) return false
  if (element.localName === 'script') withoutDrawings(element)
  element.replaceWith(
    element.ownerDocument.createTextNode(`${isDisplay ? texMarks.display : texMarks.inline}${tex}${texMarks.end}`),
  )
  return true
}

/** MediaWiki wraps each formula. */
function withoutStyle(tex: string): string {
  return tex.trim().replace(/^\{\\(?:display|text)style ([\s\S]*)\}$/, '$1')
}

/** Formulas in the text of a page that a script of it draws. */
function ofText(body: Element): void {
  const texts: Text[] = []
  collect(body, texts)
  for (const text of texts) {
    if (!/\$|\\[([]/.test(text.data)) continue
    text.data = text.data.replace(written, (all, ...groups: unknown[]) => {
      const [display, bracket, paren, inline] = groups as (string | undefined)[]
      const tex = plainTex(display ?? bracket ?? paren ?? inline ?? '')
      if (tex === undefined) return withoutSigns(all)
      return `${(display ?? bracket) === undefined ? texMarks.inline : texMarks.display}${tex}${texMarks.end}`
    })
  }
}

/** A sum of money has a space or a word behind its sign, or none before it. */
const written =
  /\$\$([^$]{1,2000})\$\$|\\\[((?:[^\\]|\\(?![\][])){1,2000})\\\]|\\\(((?:[^\\]|\\(?![()])){1,1000})\\\)|(?<![\\\w$])\$(?=[^\s$\d])([^$\n]{1,500}?[^\s$\\]|[^\s$\\])\$(?![\w$])/g

function collect(element: Element, into: Text[]): void {
  let last: Text | undefined
  for (let child = element.firstChild; child; ) {
    const next: ChildNode | null = child.nextSibling
    if (child.nodeType === 3) last = joined(last, child as Text, into)
    else last = undefined
    if (child.nodeType === 1 && !unread.has((child as Element).localName)) collect(child as Element, into)
    child = next
  }
}

/** The parser begins a text at each entity. */
function joined(before: Text | undefined, text: Text, into: Text[]): Text {
  if (!before) {
    into.push(text)
    return text
  }
  before.data += text.data
  text.remove()
  return before
}

const unread: ReadonlySet<string> = new Set(['script', 'style', 'pre', 'code', 'textarea', 'noscript', 'template'])
