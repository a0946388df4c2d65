import { type PageKind, pageKinds } from '../../page.ts'
import type { Document } from '../tree/nodes.ts'
import { blocksOf, type PageBlock } from './blocks.ts'
import { chooseBlocks } from './choose.ts'
import { evenRows } from './even-rows.ts'
import { featuresOf } from './features.ts'
import { kindFeatures } from './kind-features.ts'
import { blockModel, kindModels, likeliest, nameScores, sharesOf, wordScores } from './models.ts'
import { signsOf } from './signs.ts'
import { probability } from './trees.ts'
import { withWholes } from './wholes.ts'

/** What is content in a page, and what kind of page it is. */
export interface BlockReading {
  readonly kind: PageKind
  readonly blocks: readonly PageBlock[]
  readonly chosen: ReadonlySet<PageBlock>
}

/** Reads the blocks of a document. Its time is linear in the number of elements, and in how deep each is. */
export function readingOf(document: Document, url: string): BlockReading {
  const blocks = blocksOf(document.body, nameScores)
  const signs = signsOf(document, url)
  const kinds = sharesOf(kindModels, Float32Array.from(kindFeatures(signs, blocks)))
  const { rows, width } = featuresOf(blocks, { kinds, title: signs.title, description: signs.description }, wordScores)
  const { bias, trees } = blockModel
  const likely = Float32Array.from(blocks, (_, index) => probability(trees, rows, index * width, bias))
  const kind = likeliest(kinds)
  const articleShare = kinds[pageKinds.indexOf('article')] ?? 0
  const chosen = chooseBlocks(blocks, evenRows(blocks, likely), kind === 'article', articleShare)
  return { kind, blocks, chosen: withWholes(blocks, chosen, kind) }
}
