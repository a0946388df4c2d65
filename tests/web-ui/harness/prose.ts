// Draws texts as the page draws answers, in the browser of a test, and says what is not to be there.

import { Lexer, Parser } from 'marked'
import { h, render } from 'preact'
import { Answer } from '../../../src/web-ui/browser/answer.tsx'

const sources = [{ title: 'One', url: 'https://one.example/a' }]
const allowedTags =
  'ARTICLE ASIDE SECTION DIV H1 H2 H3 H4 P SPAN OL UL LI STRONG EM DEL CODE PRE FIGURE FIGCAPTION BUTTON BLOCKQUOTE TABLE THEAD TBODY TR TH TD BR HR A NAV svg path'
const tags = new Set(allowedTags.split(' '))
const allowedAttributes =
  'class href target rel aria-label aria-haspopup aria-expanded aria-live aria-busy aria-hidden tabindex role start type viewBox fill stroke stroke-linecap stroke-linejoin d'
const attributes = new Set(allowedAttributes.split(' '))

/** The elements, attributes and addresses of a place that no answer may have. */
function foreignIn(place: Element): readonly string[] {
  return [...place.querySelectorAll('*')].flatMap((element) => [
    ...(tags.has(element.tagName) ? [] : [`<${element.tagName}>`]),
    ...[...element.attributes].flatMap(({ name, value }) => {
      if (!attributes.has(name)) return [`${name}="${value}"`]
      return name === 'href' && value !== sources[0]?.url ? [`href="${value}"`] : []
    }),
  ])
}

/** Whole, and cut where it would be while it is written. */
function drawnAs(text: string): readonly (readonly [text: string, isWhole: boolean])[] {
  const cuts = [0.25, 0.5, 0.75, 0.9].map((part) => text.slice(0, Math.ceil(text.length * part)))
  return [...cuts.map((cut) => [cut, false] as const), [text, false], [text, true]]
}

const place = document.createElement('main')
document.body.append(place)

Object.assign(window, {
  /** What is foreign in any drawing of the texts. */
  async draw(texts: readonly string[]) {
    const found: string[] = []
    let drawn = 0
    for (const text of texts) {
      render(null, place)
      for (const [shown, isWhole] of drawnAs(text)) {
        render(h(Answer, { question: 'Q', facts: '', text: shown, isWhole, sources, evidence: [] }), place)
        drawn += place.querySelectorAll('.prose *').length
        found.push(...foreignIn(place).map((what) => `${what} in ${JSON.stringify(shown.slice(0, 200))}`))
      }
      // Nodes that load, load.
      await null
    }
    return { found, drawn }
  },
  /** The same by way of HTML, which shows what the test would see. */
  drawAsHtml(texts: readonly string[]) {
    return texts.flatMap((text) => {
      render(null, place)
      place.innerHTML = Parser.parse(Lexer.lex(text))
      const found = foreignIn(place)
      place.replaceChildren()
      return found
    })
  },
  html: () => place.innerHTML,
})
