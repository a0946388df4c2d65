import { textWithin } from '../standard/within.ts'
import type { ChildNode, Element, Node } from '../tree/nodes.ts'
import type { PageBlock } from './blocks.ts'
import type { BlockReading } from './reading.ts'

/** Removes from its document what is not content. A picture goes with the text that it stands in, before or just behind. */
export function keepOnly({ blocks, chosen }: BlockReading): void {
  const links = new Set<Element>()
  const remove = (node: ChildNode): void => {
    const link = linkAround(node)
    if (link) links.add(link)
    node.remove()
  }
  let last: PageBlock | undefined
  for (const block of blocks) {
    const isChosen = chosen.has(block)
    if (!isChosen) tellOf(block)
    if (!isChosen) block.nodes.forEach(remove)
    // Those of a block that was removed have no parents.
    if (!isChosen) for (const picture of block.pictures) if (!isBeside(picture, last?.nodes[0])) remove(picture)
    if (isChosen) last = block
  }
  // An empty link that lay over a card counts as a link of the page; one that was emptied here does not.
  for (const link of links) if (!link.querySelector('img') && !link.textContent?.trim()) link.remove()
}

/** The words below a picture are no text of the page, but say what it shows. */
function tellOf({ frame, nodes, text }: PageBlock): void {
  if (frame.name !== 'figcaption') return
  let figure: Element | null | undefined = nodes[0]?.parentElement
  for (let level = 0; figure && level < maxHolders && figure.localName !== 'figure'; level++)
    figure = figure.parentElement
  const image = figure?.localName === 'figure' ? figure.querySelector('img') : undefined
  if (image && !image.getAttribute('alt')?.trim()) image.setAttribute('alt', text.slice(0, maxAlt))
}

const maxAlt = 300

/** Whether a picture, with what holds nothing but it, stands in the element of the last content before it. */
function isBeside(picture: Element, last: Node | undefined): boolean {
  let holder: Element | null = picture.parentElement
  for (let level = 0; holder && level < maxHolders && isHolder(holder); level++) holder = holder.parentElement
  if (!holder || pageParts.has(holder.localName)) return false
  let around = last?.parentElement
  for (let level = 0; around && level < maxLevels; level++, around = around.parentElement)
    if (around === holder) return true
  return false
}

function isHolder(element: Element): boolean {
  // A picture that leads elsewhere belongs to the words of its link; in a figure, or to a file, it is shown for itself.
  if (element.localName === 'a' && element.parentElement?.localName !== 'figure') {
    return /\.(?:jpe?g|png|gif|webp|avif|svg)$/i.test(element.getAttribute('href') ?? '')
  }
  return holders.has(element.localName) || textWithin(element, 200).trim() === ''
}

const holders: ReadonlySet<string> = new Set(['figure', 'picture', 'a'])
const maxHolders = 4
/** What has all of a page. */
const pageParts: ReadonlySet<string> = new Set(['body', 'main', 'html'])

function linkAround(node: Node): Element | undefined {
  let around = node.parentElement
  for (let level = 0; around && level < maxLevels; level++, around = around.parentElement)
    if (around.localName === 'a') return around
  return undefined
}

/** Elements between a link, or what holds a picture, and words. */
const maxLevels = 8
