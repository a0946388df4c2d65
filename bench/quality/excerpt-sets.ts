import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseHTML } from 'linkedom'
import { z } from 'zod'

/** A question, the page that answers it, and what of the page does. */
export interface Question {
  readonly query: string
  /** Its paragraphs. */
  readonly page: readonly string[]
  /** Decides the half: no page is in both. */
  readonly pageName: string
  /** Texts of which a passage must have one; with `within`, from there. */
  readonly evidence: readonly string[]
  /** The paragraph with a short answer; without one, the evidence is whole sentences. */
  readonly within?: string | undefined
}

/** Each set that the folder has, by name. */
export function excerptSets(folder: string): ReadonlyMap<string, readonly Question[]> {
  const sets = new Map<string, readonly Question[]>()
  const add = (name: string, path: string, read: (path: string) => readonly Question[]): void => {
    if (existsSync(join(folder, path))) sets.set(name, read(join(folder, path)))
  }
  add('SQuAD 1.1 dev', 'squad', readSquadPages)
  add('SelQA test', 'selqa/ass/selqa-ass-test.json', readSelqa)
  add('WikiQA dev and test', 'wikiqa', readWikiqa)
  for (const language of ['en', 'de', 'es', 'ro', 'el', 'tr', 'ru', 'ar', 'hi', 'vi', 'th', 'zh']) {
    add(`XQuAD ${language}`, `xquad/xquad.${language}.json`, (path) => readSquad([path]))
  }
  add('ARCD', 'arcd/data/arcd.json', (path) => readSquad([path]))
  add('CMRC dev', 'cmrc/squad-style-data/cmrc2018_dev.json', (path) => readSquad([path]))
  add('JaQuAD dev', 'jaquad/data/dev', (path) => readSquad(filesOf(path)))
  return sets
}

const squadSchema = z.object({
  data: z.array(
    z.object({
      title: z.string(),
      paragraphs: z.array(
        z.object({
          context: z.string(),
          qas: z.array(z.object({ question: z.string(), answers: z.array(z.object({ text: z.string() })) })),
        }),
      ),
    }),
  ),
})

function readSquad(paths: readonly string[]): readonly Question[] {
  return paths
    .flatMap((path) => squadSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).data)
    .flatMap(({ title, paragraphs }) => {
      const page = paragraphs.map(({ context }) => context)
      return paragraphs.flatMap(({ context, qas }) =>
        qas.map(({ question, answers }) => {
          return { query: question, page, pageName: title, evidence: answers.map(({ text }) => text), within: context }
        }),
      )
    })
}

/** The set's own site shows each article with its questions; its files are too large for some mirrors. */
function readSquadPages(folder: string): readonly Question[] {
  const file = join(folder, 'dev-v1.1.json')
  if (existsSync(file)) return readSquad([file])
  return filesOf(folder).flatMap((path) => {
    const { document } = parseHTML(readFileSync(path, 'utf8'))
    const wraps = [...document.querySelectorAll('.para-wrap')]
    const page = wraps.map((wrap) => wrap.querySelector('pre')?.textContent ?? '')
    return wraps.flatMap((wrap, index) =>
      [...wrap.querySelectorAll('.qa-wrap')].map((asked) => ({
        query: asked.querySelector('.question')?.textContent ?? '',
        page,
        pageName: basename(path, '.html'),
        evidence: [...asked.querySelectorAll('.answer')].map((answer) => answer.textContent ?? ''),
        within: page[index] ?? '',
      })),
    )
  })
}

const selqaSchema = z.array(
  z.object({
    article: z.string(),
    section: z.string(),
    question: z.string(),
    answers: z.array(z.number()),
    candidates: z.array(z.string()),
  }),
)

/** The page of a question is what all of the set's questions have of the article. */
function readSelqa(path: string): readonly Question[] {
  const asked = selqaSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  const pages = new Map<string, Map<string, string>>()
  for (const { article, section, candidates } of asked) {
    const sections = pages.get(article) ?? new Map<string, string>()
    pages.set(article, sections.set(section, candidates.join(' ')))
  }
  return asked.map(({ article, question, answers, candidates }) => ({
    query: question,
    page: [...(pages.get(article)?.values() ?? [])],
    pageName: article,
    evidence: answers.map((index) => candidates[index] ?? ''),
  }))
}

function readWikiqa(folder: string): readonly Question[] {
  const rows = filesOf(folder).flatMap((path) => readFileSync(path, 'utf8').split('\n').slice(1))
  const questions = new Map<string, { query: string; name: string; sentences: string[]; evidence: string[] }>()
  for (const row of rows) {
    const [id = '', query = '', , name = '', , sentence = '', label = ''] = row.trimEnd().split('\t')
    if (!sentence) continue
    const question = questions.get(id) ?? { query, name, sentences: [], evidence: [] }
    questions.set(id, question)
    // The set has its text in tokens.
    const plain = sentence.replace(/ ([.,;:!?)\]'’])/g, '$1').replace(/([(]) /g, '$1')
    question.sentences.push(plain)
    if (label === '1') question.evidence.push(plain)
  }
  return [...questions.values()]
    .filter(({ evidence }) => evidence.length > 0)
    .map(({ query, name, sentences, evidence }) => ({ query, pageName: name, page: [sentences.join(' ')], evidence }))
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder).map((name) => join(folder, name))
}
