import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Orders the passages of a page by a query, the best first. */
export type Ranker = (page: readonly string[], query: string) => readonly string[]

/** wink's BM25 over passages of whole sentences, 300 characters at most. `undefined` if it is not installed. */
export function winkRanker(folder: string): Ranker | undefined {
  try {
    const load = createRequire(join(folder, 'package.json'))
    const bm25: () => WinkEngine = load('wink-bm25-text-search')
    const { string, tokens }: WinkUtilities = load('wink-nlp-utils')
    const tasks = [string.lowerCase, string.tokenize0, tokens.removeWords, tokens.stem, tokens.propagateNegations]
    const open = (passages: readonly string[]): WinkEngine => {
      const engine = bm25()
      engine.defineConfig({ fldWeights: { body: 1 } })
      engine.definePrepTasks(tasks)
      for (const [index, body] of passages.entries()) engine.addDoc({ body }, index)
      engine.consolidate()
      return engine
    }
    let last: { page: readonly string[]; passages: readonly string[]; engine: WinkEngine } | undefined
    return (page, query) => {
      const passages = last?.page === page ? last.passages : page.flatMap(inPassages)
      // It takes three documents at least, and finds nothing in fewer.
      if (passages.length < 3) return passages
      if (last?.page !== page) last = { page, passages, engine: open(passages) }
      return last.engine.search(query, 6).map(([index]) => passages[Number(index)] ?? '')
    }
  } catch {
    return undefined
  }
}

interface WinkEngine {
  defineConfig(config: object): void
  definePrepTasks(tasks: readonly unknown[]): void
  addDoc(document: object, id: number): void
  consolidate(): void
  search(query: string, limit: number): readonly (readonly [string | number, number])[]
}

interface WinkUtilities {
  readonly string: Readonly<Record<string, unknown>>
  readonly tokens: Readonly<Record<string, unknown>>
}

function inPassages(paragraph: string): readonly string[] {
  const passages: string[] = []
  for (const sentence of paragraph.split(/(?<=[.!?])\s+(?=\P{Ll})/u)) {
    const last = passages.at(-1)
    if (last !== undefined && last.length + sentence.length < 300) passages[passages.length - 1] = `${last} ${sentence}`
    else passages.push(sentence.slice(0, 300))
  }
  return passages
}
