import { endsSentence } from '../../language/sentence-ends.ts'
/**
 * The blocks of a page's Markdown that are prose, and what stands among them: not menus, teasers and labels. All of it
 * where hardly any is prose, as in a list of links.
 */
export function proseOf(markdown: string): string {
  const blocks = markdown.split(/\n{2,}/)
  const kinds = kindsOf(blocks)
  const isProse = (index: number) => kinds[index] === 'prose'
  const kept = blocks.filter((block, index) => {
    if (kinds[index] !== 'short') return isProse(index)
    const isFollowed = isProse(index + 1) || isProse(index + 2)
    return isFollowed && (isHeading(block) || isProse(index - 1) || isProse(index - 2))
  })
  const prose = kept.join('\n\n')
  return prose.length < minProse ? markdown : prose
}

const minProse = 300

type Kind = 'prose' | 'short' | 'links'

/** Code is kept whole, with the empty lines in it: half of it would hide what stands behind. */
function kindsOf(blocks: readonly string[]): readonly Kind[] {
  let isCode = false
  return blocks.map((block) => {
    const fences = block.match(/^\s{0,3}(?:```|~~~)/gm)?.length ?? 0
    const kind = isCode || fences > 0 ? 'prose' : kindOf(block)
    isCode = isCode !== (fences % 2 === 1)
    return kind
  })
}

function kindOf(block: string): Kind {
  let linked = 0
  const plain = block
    .replace(image, ' ')
    .replace(link, (_, words: string) => {
      linked += words.trim().length
      return words
    })
    .replace(/[\s#>*_|-]+/g, ' ')
    .trim()
  if (isHeading(block)) return 'short'
  if (linked >= plain.length * maxLinkShare) return 'links'
  const isSentence = plain.length >= minSentence && endsSentence(plain)
  return isSentence || plain.length >= minBlock ? 'prose' : 'short'
}

function isHeading(block: string): boolean {
  return /^#{1,6}\s/.test(block)
}

const maxLinkShare = 0.5
/** In characters: a block of so many is no label, nor is a shorter one that ends as a sentence. */
const minBlock = 100
const minSentence = 40

const image = /!\[[^[\]]{0,500}\]\([^()\s]{0,2000}(?:\s"[^"]{0,300}")?\)/g
const link = /\[([^[\]]{0,500})\]\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,500})?(?:\s"[^"]{0,300}")?\)/g
