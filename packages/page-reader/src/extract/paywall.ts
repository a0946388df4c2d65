import { isObject } from '@csp/lib/json'
import { countWords } from './blocks/blocks.ts'
import { linkedData } from './linked-data.ts'
import { hides } from './overlays.ts'
import { textWithin } from './standard/within.ts'
import type { Document } from './tree/nodes.ts'

/**
 * Whether a page says that only subscribers see all of it. Many sites say so of every article and send it all the same:
 * what is behind the wall, as far as it is named, is looked for.
 */
export function saysPaywalled(document: Document, html: string): boolean {
  if (!/isAccessibleForFree|content_tier/i.test(html)) return false
  const tier = document.querySelector('meta[property="article:content_tier"]')?.getAttribute('content')
  const marked = document.querySelector('meta[itemprop="isAccessibleForFree"]')?.getAttribute('content')
  const article = thingsIn(linkedData(document)).find(({ '@type': type }) =>
    /Article|Posting|Report|Review|CreativeWork/.test(String(type)),
  )
  const parts = listOf(article?.hasPart)
    .filter(isObject)
    .filter(({ isAccessibleForFree }) => isFalse(isAccessibleForFree))
  const said = article?.isAccessibleForFree ?? marked
  const isClosed = said === undefined ? parts.length > 0 || tier === 'locked' : isFalse(said)
  return isClosed && !parts.some(({ cssSelector }) => isSent(document, cssSelector))
}

/** A page with more words than that is no beginning of one. */
export const maxBeginning = 400

/** What the scripts of a page are about: its things, in lists and graphs. */
function thingsIn(values: readonly unknown[]): readonly Readonly<Record<string, unknown>>[] {
  return values
    .flatMap(listOf)
    .flatMap((item) => (isObject(item) ? [item, ...listOf(item['@graph']), item.mainEntity] : []))
    .filter(isObject)
    .slice(0, maxThings)
}

const maxThings = 200

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, maxThings) : value === undefined ? [] : [value]
}

/** `false`, `"False"`, `"http://schema.org/False"`. */
function isFalse(value: unknown): boolean {
  return value === false || (typeof value === 'string' && /^(?:https?:\/\/schema\.org\/)?false$/i.test(value))
}

/** Whether what only subscribers see is in the page all the same, as a script would hide it. */
function isSent(document: Document, selector: unknown): boolean {
  const names = listOf(selector)
    .flatMap((one) => (typeof one === 'string' ? one.slice(0, 300).split(',') : []))
    .map((one) => /^\s*\.([\w-]{1,100})\s*$/.exec(one)?.[1])
  return names.some(
    (name) =>
      name !== undefined &&
      [...document.querySelectorAll(`[class~="${name}"]`)]
        .slice(0, maxParts)
        .some(
          (part) =>
            !hides(part.getAttribute('style') ?? '') &&
            !part.hasAttribute('hidden') &&
            countWords(textWithin(part, 5000)) >= minSent,
        ),
  )
}

const maxParts = 50
/** In words: what is shown of the rest is shorter. */
const minSent = 250
