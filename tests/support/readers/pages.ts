import { parseHTML } from 'linkedom'

/** What a page of csp's own may be made of. */
const elements = new Set(
  'html head meta title style body main h1 h2 p div ol li a blockquote details summary code'.split(' '),
)
const attributes = new Set('lang charset http-equiv content name dir class id href rel'.split(' '))

/** What a page holds besides its own elements, and where it leads besides its sources, a line each. */
export function foreignInPage(html: string, isSource: (address: string) => boolean): readonly string[] {
  return [...parseHTML(html).document.querySelectorAll('*')].flatMap((element) => {
    const name = element.localName
    const address = element.getAttribute('href') ?? '#'
    return [
      ...(elements.has(name) ? [] : [`<${name}>`]),
      ...element.getAttributeNames().flatMap((one) => (attributes.has(one) ? [] : [`${name} ${one}`])),
      ...(/^#/.test(address) || isSource(address) ? [] : [`${name} to ${address}`]),
    ]
  })
}
