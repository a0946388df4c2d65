import { z } from 'zod'
import type { Question } from './question.ts'

/** Products whose releases are many, by their name at endoflife.date. */
const products = {
  nodejs: 'Node.js',
  bun: 'Bun',
  deno: 'Deno',
  go: 'Go',
  rust: 'Rust',
  python: 'Python',
  php: 'PHP',
  ruby: 'Ruby',
  kubernetes: 'Kubernetes',
  postgresql: 'PostgreSQL',
  redis: 'Redis',
  nginx: 'nginx',
  django: 'Django',
  laravel: 'Laravel',
  angular: 'Angular',
  grafana: 'Grafana',
  electron: 'Electron',
  blender: 'Blender',
  firefox: 'Firefox',
  linux: 'the Linux kernel',
} as const

/**
 * Questions whose answers change every few weeks: the latest release of a product. The answers are read from
 * endoflife.date, one small request each, when the evaluation begins. A product that cannot be read is left out; throws
 * what went wrong when none could be.
 */
export async function loadFreshQuestions(
  load: (url: string) => Promise<unknown>,
  today: string,
): Promise<readonly Question[]> {
  const asked = Object.entries(products).map(async ([id, name]) =>
    questionOf(id, name, await load(`https://endoflife.date/api/${id}.json`), today),
  )
  const settled = await Promise.allSettled(asked)
  const questions = settled.flatMap((result) => (result.status === 'fulfilled' && result.value ? [result.value] : []))
  const failed = settled.find((result) => result.status === 'rejected')
  if (questions.length === 0) throw failed?.reason ?? new Error('endoflife.date names no release.')
  return questions
}

function questionOf(id: string, name: string, body: unknown, asOf: string): Question | undefined {
  const cycles = cyclesSchema.safeParse(body).data
  // The first is the newest series, even where an older one was mended since.
  const newest = cycles?.[0]
  if (!newest) return undefined
  return {
    id,
    question: `What is the number of the latest release of ${name}?`,
    answers: [newest.latest],
    kind: 'release',
    asOf,
  }
}

const cyclesSchema = z.array(z.object({ latest: z.string().min(1) })).min(1)
