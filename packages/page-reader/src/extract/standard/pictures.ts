import { parseUrl } from '@csp/lib/url'
import type { Document, Element } from '../tree/nodes.ts'
import { textWithin } from './within.ts'

/** Gives each picture the address that a browser shows in the end, where a script or a `noscript` has it. */
export function standardisePictures(document: Document): void {
  for (const hidden of document.querySelectorAll('noscript')) replaceHidden(hidden)
  for (const image of document.querySelectorAll('img')) {
    if (isCounter(image)) {
      image.remove()
      continue
    }
    const source = image.getAttribute('src')?.trim() ?? ''
    if (source !== '' && !isStandIn(source)) continue
    const shown = lazyNames.map((name) => image.getAttribute(name)?.trim()).find((value) => value && isAddress(value))
    const address = shown ?? largestOf(setOf(image)) ?? pictureOf(image)
    if (address) image.setAttribute('src', address)
  }
}

const lazyNames = [
  'data-src',
  'data-original',
  'data-lazy-src',
  'data-lazy',
  'data-url',
  'data-full-src',
  'data-hi-res-src',
]

/** A dot that nobody sees: whoever asks for it is counted. */
function isCounter(image: Element): boolean {
  return ['width', 'height'].some((name) => /^[0-2](?:px)?$/.test(image.getAttribute(name)?.trim() ?? ''))
}

/** What is shown until the picture comes. */
function isStandIn(source: string): boolean {
  return /^(?:data:|about:|blob:)|(?:placeholder|spacer|blank|transparent|pixel|grey|loading|lazy)[\w-]{0,20}\.(?:gif|png|svg|jpe?g)/i.test(
    source.slice(0, 300),
  )
}

function isAddress(value: string): boolean {
  return !value.startsWith('data:') && value.length <= maxAddress && parseUrl(value, 'https://a.example/') !== undefined
}

const maxAddress = 4000

function setOf(element: Element): string {
  return (
    element.getAttribute('srcset') ??
    element.getAttribute('data-srcset') ??
    element.getAttribute('data-lazy-srcset') ??
    ''
  )
}

/** The address of a set of sizes with the largest of them. */
function largestOf(set: string): string | undefined {
  let [best, most] = [undefined as string | undefined, -1]
  for (const [, address = '', size = '1'] of set
    .slice(0, maxSet)
    .matchAll(/([^\s,][^\s]{0,4000})(?:\s+(\d{1,6}(?:\.\d{1,3})?)[wx])?\s*(?:,|$)/g)) {
    const bare = address.replace(/,$/, '')
    if (isAddress(bare) && Number(size) > most) [best, most] = [bare, Number(size)]
  }
  return best
}

const maxSet = 10_000

/** Of the sources beside it in a `picture`. */
function pictureOf({ parentElement: around }: Element): string | undefined {
  if (around?.localName !== 'picture') return undefined
  for (const child of around.children) {
    const found = child.localName === 'source' ? largestOf(setOf(child)) : undefined
    if (found) return found
  }
  return undefined
}

/** A picture for browsers without scripts takes the place of that which scripts would load. */
function replaceHidden(hidden: Element): void {
  const image = hidden.querySelector('img')
  if (!image || textWithin(hidden, 200).trim() !== '' || hidden.querySelectorAll('img').length > 1) return
  const before = hidden.previousElementSibling
  const standIn = before?.localName === 'img' ? before : before?.querySelector('img')
  const source = image.getAttribute('src') ?? ''
  if (!standIn && image.getAttribute('alt')) hidden.replaceWith(image)
  if (!standIn) return
  if (!source || !isAddress(source)) return
  standIn.setAttribute('src', source)
  hidden.remove()
}
