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
  let before: PageBlock | undefined
  for (const block of blocks) {
    const isChosen = chosen.has(block)
    if (!isChosen) block.nodes.forEach(remove)
    // Those of a block that was removed have no parents.
    if (!isChosen) for (const picture of block.pictures) if (!isBeside(picture, before?.nodes[0])) remove(picture)
    before = block
  }
  // An empty link that lay over a card counts as a link of the page; one that was emptied here does not.
  for (const link of links) if (!link.querySelector('img') && !link.textContent?.trim()) link.remove()
}

/** Whether the element around a picture also has the last words of the content before it. */
function isBeside(picture: Element, last: Node | undefined): boolean {
  let around = last?.parentElement
  for (let level = 0; around && level < maxLevels; level++, around = around.parentElement)
    if (around === picture.parentElement) return true
  return false
}

function linkAround(node: Node): Element | undefined {
  let around = node.parentElement
  for (let level = 0; around && level < maxLevels; level++, around = around.parentElement)
    if (around.localName === 'a') return around
  return undefined
}

/** Elements between a link, or what holds a picture, and words. */
const maxLevels = 8
