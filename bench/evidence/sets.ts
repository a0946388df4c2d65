import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sentenceEnds } from '@csp/language/sentence-ends'

/** What somebody wrote over pages, and whether they say it. */
export interface SetRow {
  /** By its file, and where a file has several, their names. */
  readonly set: string
  /** Whose set it is, where it compares what was written over pages with them. */
  readonly of?: 'SummEdits' | 'HAGRID' | 'AttributionBench' | 'Factcheck-GPT' | 'WiCE' | undefined
  readonly sentences: readonly string[]
  readonly pages: readonly string[]
  readonly isTrue: boolean
  /** A name in it, where the set says which. */
  readonly name?: string | undefined
}

/**
 * Reads every file of a folder whose shape is known: SummEdits (`summedits_*.json`), WiCE, AttributionBench and Factcheck-GPT
 * (`.jsonl`), XQuAD (`xquad.*.json`), OCNLI (`.json`, a line each), KorNLU (`.tsv`), STSb in ten languages (`stsb-*.csv`) and the names of
 * ner-wikipedia-dataset. Only complete files: what Git LFS keeps
 * elsewhere is named and left out.
 */
export function readSets(folder: string): readonly SetRow[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:jsonl?|tsv|csv)$/.test(name),
  )
  return files.toSorted().flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    if (text.startsWith('version https://git-lfs')) {
      console.error(`${name}: only a pointer of Git LFS`)
      return []
    }
    try {
      return readFile(name, text, folder)
    } catch {
      console.error(`${name}: of no shape that is known`)
      return []
    }
  })
}

type Fields = Readonly<Record<string, unknown>>

function readFile(file: string, text: string, folder: string): readonly SetRow[] {
  const set = file.replace(/(?:-(?:train|dev|test))?\.\w+$/, '')
  if (file.endsWith('.csv')) return similarRows(set, text)
  if (/^genre\t|^sentence1\t/.test(text)) return koreanRows(set, text)
  if (!/^\s*\{\s*"data"/.test(text) && !text.startsWith('[')) {
    return text
      .trim()
      .split('\n')
      .flatMap((line) => rowOf(set, JSON.parse(line) as Fields))
  }
  const whole = JSON.parse(text) as unknown
  if (Array.isArray(whole)) return whole.flatMap((row) => rowOf(set, row as Fields))
  return questionRows(set, whole as Questions, folder)
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
const textsOf = (value: unknown) => (Array.isArray(value) ? value.map(textOf).filter((one) => one.trim() !== '') : [])

function rowOf(set: string, row: Fields): readonly SetRow[] {
  // Names of Wikipedia in Japanese
  if (Array.isArray(row.entities)) {
    const names = row.entities.filter(({ type }: Fields) => /^(?:人名|地名|法人名)$/.test(textOf(type)))
    const name = textOf((names[0] as Fields | undefined)?.name)
    return name ? [{ set, sentences: [textOf(row.text)], pages: [textOf(row.text)], isTrue: true, name }] : []
  }
  // SummEdits
  if ('doc' in row) {
    const pages = [textOf(row.doc)]
    const sentences = sentencesOf(textOf(row.summary))
    return [{ set, of: 'SummEdits', sentences, pages, isTrue: row.label === 1 }]
  }
  // AttributionBench
  if ('attribution_label' in row) {
    const isTrue = row.attribution_label === 'attributable'
    const source = textOf(row.src_dataset)
    const of = source === 'HAGRID' ? source : 'AttributionBench'
    const pages = textsOf(row.references).slice(0, 20)
    return [{ set: `${set} ${source}`, of, sentences: [textOf(row.claim)], pages, isTrue }]
  }
  // WiCE: what is supported in part is not supported.
  if (Array.isArray(row.evidence)) {
    const isTrue = row.label === 'supported'
    return [{ set, of: 'WiCE', sentences: [textOf(row.claim)], pages: [textsOf(row.evidence).join('\n')], isTrue }]
  }
  // Factcheck-GPT
  if ('stance' in row) {
    const isTrue = /support/i.test(textOf(row.stance)) && !/partial/i.test(textOf(row.stance))
    return [{ set, of: 'Factcheck-GPT', sentences: [textOf(row.claim)], pages: [textOf(row.evidence)], isTrue }]
  }
  // OCNLI
  if (row.label !== 'entailment' && row.label !== 'contradiction') return []
  const isTrue = row.label === 'entailment'
  return [{ set, sentences: [textOf(row.sentence2)], pages: [textOf(row.sentence1)], isTrue }]
}

function sentencesOf(text: string): readonly string[] {
  const ends = sentenceEnds(text)
  return ends.map((end, place) => text.slice(ends[place - 1] ?? 0, end).trim()).filter((one) => one !== '')
}

/** STSb: what means the same, and what means something else. */
function similarRows(set: string, text: string): readonly SetRow[] {
  return [...text.matchAll(/^("(?:[^"]|"")*"|[^",\n]*),("(?:[^"]|"")*"|[^",\n]*),([\d.]+)\r?$/gm)].flatMap(
    ([, one = '', other = '', likeness]) => {
      const [page, sentence] = [one, other].map((field) => field.replace(/^"|"$/g, '').replaceAll('""', '"'))
      const [isTrue, isFalse] = [Number(likeness) >= 4.8, Number(likeness) <= 2]
      return page && sentence && (isTrue || isFalse) ? [{ set, sentences: [sentence], pages: [page], isTrue }] : []
    },
  )
}

/** KorSTS: what means the same. KorNLI: what follows. */
function koreanRows(set: string, text: string): readonly SetRow[] {
  return text
    .trim()
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const fields = line.trim().split('\t')
      const label = fields.length > 3 ? Number(fields[4]) : fields[2]
      const [one = '', other = ''] = fields.length > 3 ? fields.slice(5) : fields
      const isTrue = label === 'entailment' || (typeof label === 'number' && label >= 4.8)
      if (!isTrue && label !== 'contradiction') return []
      return [{ set, sentences: [other], pages: [one], isTrue }]
    })
}

interface Questions {
  readonly data: readonly {
    readonly paragraphs: readonly {
      readonly context: string
      readonly qas: readonly {
        readonly id: string
        readonly answers: readonly { text: string; answer_start: number }[]
      }[]
    }[]
  }[]
}

/** The sentences of a page with an answer that is a name: what has capital letters in English, which each language translates. */
function questionRows(set: string, { data }: Questions, folder: string): readonly SetRow[] {
  const english = JSON.parse(readFileSync(join(folder, set.replace(/[a-z]+$/, 'en.json')), 'utf8')) as Questions
  const names = new Set(
    english.data.flatMap(({ paragraphs }) =>
      paragraphs.flatMap(({ qas }) =>
        qas.filter(({ answers }) => isName.test(answers[0]?.text ?? '')).map(({ id }) => id),
      ),
    ),
  )
  return data.flatMap(({ paragraphs }) =>
    paragraphs.flatMap(({ context, qas }) =>
      qas.flatMap(({ id, answers: [answer] }) => {
        if (!answer || !names.has(id) || answer.text.length > maxName) return []
        const ends = sentenceEnds(context)
        const place = ends.findIndex((end) => end > answer.answer_start)
        const sentence = context.slice(ends[place - 1] ?? 0, ends[place]).trim()
        return [{ set, sentences: [sentence], pages: [context], isTrue: true, name: answer.text }]
      }),
    ),
  )
}

const isName = /^\p{Lu}[\p{L}.'-]+(?: (?:(?:of|the|de|von|van) )?\p{Lu}[\p{L}.'-]*){0,3}$/u
const maxName = 30
