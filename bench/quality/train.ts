import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pageKinds } from '@csp/page-reader/page'
import { blocksOf } from '../../packages/page-reader/src/extract/blocks/blocks.ts'
import { featuresOf } from '../../packages/page-reader/src/extract/blocks/features.ts'
import { kindFeatures } from '../../packages/page-reader/src/extract/blocks/kind-features.ts'
import { scoresIn, sharesOf } from '../../packages/page-reader/src/extract/blocks/models.ts'
import { signsOf } from '../../packages/page-reader/src/extract/blocks/signs.ts'
import { parseTree } from '../../packages/page-reader/src/extract/blocks/trees.ts'
import { documentOf } from '../../packages/page-reader/src/extract/document.ts'
import { articlePages } from './articles.ts'
import { boost, type TrainingRows } from './training/boost.ts'
import { labelsOf, wordsIn } from './training/labels.ts'
import { WordCounts } from './training/scores.ts'
import { type WcxbPage, wcxbPages } from './wcxb-pages.ts'

/**
 * Makes the tables of weights of `packages/page-reader/src/extract/blocks/weights` from the sets in a folder: WCXB's dev split and
 * the tuning half of scrapinghub's articles. `--half` learns from WCXB's tuning half alone, so that the other half can be
 * measured: `bun bench/quality/train.ts SETS [--half]`. Takes ten minutes and 2 GB.
 */
const [sets = '', only] = process.argv.slice(2)
const weights = join(import.meta.dirname, '../../packages/page-reader/src/extract/blocks/weights')

/** A page as the second pass leaves it. */
interface Example {
  readonly page: WcxbPage
  readonly rows: Float32Array
  readonly kindRow: readonly number[]
  readonly labels: readonly number[]
  readonly words: readonly number[]
}

function* pages(): Generator<WcxbPage> {
  for (const page of wcxbPages(join(sets, 'wcxb'))) if (only !== '--half' || page.half === 'tuning') yield page
  for (const page of articlePages(join(sets, 'articles')))
    if (page.half === 'tuning') yield { ...page, kind: 'article' }
}

const counts = new WordCounts()
for (const { html, body } of pages()) {
  const blocks = readable(() => blocksOf(documentOf(html).body, new Map()))
  if (!blocks || !body) continue
  counts.add(
    blocks,
    labelsOf(
      blocks.map(({ text }) => text),
      body,
    ),
  )
}
const [names, words] = [counts.names(), counts.words()]

const examples: Example[] = []
for (const page of pages()) {
  const document = readable(() => documentOf(page.html))
  if (!document) continue
  const blocks = blocksOf(document.body, scoresIn(names))
  const signs = signsOf(document, page.url)
  const facts = { kinds: pageKinds.map(() => 0), title: signs.title, description: signs.description }
  examples.push({
    page,
    rows: featuresOf(blocks, facts, scoresIn(words)).rows,
    kindRow: kindFeatures(signs, blocks),
    labels: labelsOf(
      blocks.map(({ text }) => text),
      page.body,
    ),
    words: blocks.map((block) => block.words),
  })
}

const kindsOf = examples.map(({ page }) => createHash('md5').update(page.id).digest().readUInt8(0) % folds())
const models = Array.from({ length: folds() }, (_, fold) =>
  kindModel(examples.filter((__, at) => kindsOf[at] !== fold)),
)
examples.forEach(({ rows, kindRow, labels }, at) => {
  // A page's kind is guessed by a model that has not seen it, as it will be for pages of the web.
  const model = (models[kindsOf[at] ?? 0] ?? []).map(({ bias, trees }) => ({ bias, trees: trees.map(parseTree) }))
  const shares = sharesOf(model, Float32Array.from(kindRow))
  const width = rows.length / (labels.length || 1)
  for (let row = 0; row < labels.length; row++) rows.set(shares, (row + 1) * width - shares.length)
})

write('words', [
  `/** Words of classes and ids, and what each says of content. */\nexport const namesSaying = '${names}'\n`,
  `/** Words of short texts. */\nexport const wordsSaying = '${words}'\n`,
])
const kinds = kindModel(examples).map(({ bias, trees }) => `  { bias: ${bias}, trees: '${trees.join(';')}' },`)
write('kind-trees', [
  `export const kindTrees: readonly { readonly bias: number; readonly trees: string }[] = [\n${kinds.join('\n')}\n]\n`,
])
const blocks = boost(blockRows(examples.filter(({ page }) => page.body)), {
  trees: 80,
  depth: 5,
  rate: 0.15,
  minWeight: 40,
})
write('block-trees', [
  `export const blockBias = ${blocks.bias}\n`,
  `/** One tree a line; \`parseTree\` says how. */\nexport const blockTrees: readonly string[] = [\n${blocks.trees.map((tree) => `  '${tree}',`).join('\n')}\n]\n`,
])

function folds(): number {
  return 3
}

function kindModel(some: readonly Example[]): readonly ReturnType<typeof boost>[] {
  // Articles of the other set are all news.
  const own = some.filter(({ page }) => page.id.length === 4)
  const width = own[0]?.kindRow.length ?? 0
  const rows = Float32Array.from(own.flatMap(({ kindRow }) => kindRow))
  const equal = new Float32Array(own.length).fill(1)
  return pageKinds.map((kind) => {
    const labels = Float32Array.from(own.map(({ page }) => Number(page.kind === kind)))
    return boost({ rows, width, labels, weights: equal }, { trees: 100, depth: 2, rate: 0.13, minWeight: 1 })
  })
}

/** Each page weighs about the same, each block by its words; twice where the page is of the smaller set. */
function blockRows(some: readonly Example[]): TrainingRows {
  const count = some.reduce((sum, { labels }) => sum + labels.length, 0)
  const first = some.find(({ labels }) => labels.length > 0)
  const width = first ? first.rows.length / first.labels.length : 0
  const data = {
    rows: new Float32Array(count * width),
    labels: new Float32Array(count),
    weights: new Float32Array(count),
  }
  let at = 0
  for (const { page, rows, labels, words: own } of some) {
    const wanted = Math.max(wordsIn(page.body).length, 30)
    const shares = own.map((number) => Math.min(1, number / wanted) + 0.0005)
    const sum = shares.reduce((total, share) => total + share, 0)
    const weight = 100 * Math.min(1, 3 / sum) * (page.id.length === 4 ? 1 : 2)
    data.rows.set(rows, at * width)
    data.labels.set(labels, at)
    data.weights.set(
      shares.map((share) => share * weight),
      at,
    )
    at += labels.length
  }
  return { ...data, width }
}

function write(name: string, parts: readonly string[]): void {
  const head = '/** Made by `bench/quality/train.ts`; not written by hand. */\n'
  writeFileSync(join(weights, `${name}.ts`), `${head}${parts.join('\n')}`)
}

function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
