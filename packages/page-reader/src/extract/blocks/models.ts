import { type PageKind, pageKinds } from '../../page.ts'
import { parseTree, probability, type Tree } from './trees.ts'
import { blockBias, blockTrees } from './weights/block-trees.ts'
import { kindTrees } from './weights/kind-trees.ts'
import { namesSaying, wordsSaying } from './weights/words.ts'

/** Trees that say how likely something is. */
interface Model {
  readonly bias: number
  readonly trees: readonly Tree[]
}

/** How likely each kind of page is, in the order of `pageKinds`. */
export function sharesOf(models: readonly Model[], row: Float32Array): readonly number[] {
  const chances = models.map(({ bias, trees }) => probability(trees, row, 0, bias))
  const sum = chances.reduce((total, chance) => total + chance, 0)
  return chances.map((chance) => chance / sum)
}

export function likeliest(shares: readonly number[]): PageKind {
  return pageKinds[shares.indexOf(Math.max(...shares))] ?? 'article'
}

/** `name:2.5 other:-1` */
export function scoresIn(text: string): ReadonlyMap<string, number> {
  return new Map(
    text.split(' ').map((entry) => {
      const at = entry.lastIndexOf(':')
      return [entry.slice(0, at), Number(entry.slice(at + 1))]
    }),
  )
}

/** What the words of classes and ids say, and those of short texts. */
export const nameScores = scoresIn(namesSaying)
export const wordScores = scoresIn(wordsSaying)
export const blockModel: Model = { bias: blockBias, trees: blockTrees.map(parseTree) }
export const kindModels: readonly Model[] = kindTrees.map(({ bias, trees }) => ({
  bias,
  trees: trees.split(';').map(parseTree),
}))
