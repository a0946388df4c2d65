import { parseJson } from '@csp/lib/json'
import type { Document } from '../tree/nodes.ts'
import { flightValues } from './flight.ts'
import { literalsIn } from './literals.ts'
import { Prose } from './prose.ts'

/**
 * The prose that the scripts of a page carry as data and would show later, as HTML: of JSON, of Next.js, which streams
 * it in pieces, and of the state that Nuxt and others assign. Nothing is run. `undefined` if there is not enough of it.
 */
export function carriedHtml(document: Document): string | undefined {
  const prose = new Prose()
  const streamed: string[] = []
  for (const script of [...document.querySelectorAll('script')].slice(0, maxScripts)) {
    const code = script.textContent ?? ''
    const type = script.getAttribute('type') ?? ''
    if (/json/i.test(type)) prose.addAll(parseJson(code))
    else if (code.includes('__next_f')) streamed.push(...literalsIn(code))
    else if (assignsState.test(code.slice(0, 200))) for (const text of literalsIn(code)) prose.add(text)
  }
  for (const value of flightValues(streamed.join(''))) prose.addAll(value)
  return prose.html
}

const maxScripts = 1000

/** `window.__NUXT__=(function(…`, `window.__INITIAL_STATE__ = {`, `window["__STATE__"]=`. */
const assignsState =
  /^\s{0,20}(?:(?:var|let|const) |(?:window|self|globalThis)(?:\.|\["))?_{0,2}[A-Z\d_]{0,30}(?:NUXT|STATE|DATA|PROPS|PRELOADED)[A-Z\d_]{0,30}(?:"\])?\s{0,5}=/
