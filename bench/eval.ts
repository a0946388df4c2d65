// How good the searches are, how fast, and what they cost: questions with known answers, asked of csp as it is configured
// here. `npm run eval -- [-n 10] [--sandbox]`; README.md has the flags.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { strategies } from '../src/runtime/cli/doctor/live-search.ts'
import { loadConfig } from '../src/runtime/config/config.ts'
import { type BackendName, backendNames } from '../src/runtime/config/declarations/backends.ts'
import { missingForBackends } from '../src/runtime/config/settings.ts'
import { createLog } from '../src/runtime/log/log.ts'
import { type Composition, openComposition } from '../src/runtime/server/composition.ts'
import { interruption, processShell } from '../src/runtime/shell/shell.ts'
import { type Contender, evaluate, nameOf, type Trial } from './eval/evaluate.ts'
import { facts } from './eval/facts.ts'
import { loadFreshQuestions } from './eval/fresh.ts'
import { modelJudge } from './eval/judge.ts'
import { readPublished } from './eval/published.ts'
import { pickQuestions, type Question, readQuestions, sampleOf } from './eval/question.ts'
import { report } from './eval/report.ts'

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    set: { type: 'string', default: 'facts' },
    count: { type: 'string', short: 'n', default: '10' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    strategies: { type: 'string', default: 'results,standard' },
    against: { type: 'string', default: '' },
    judge: { type: 'boolean', default: false },
    'max-searches': { type: 'string', default: '100' },
    sandbox: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const shell = processShell()
const { config } = loadConfig(values.sandbox ? { sandbox: true } : {}, process.env, process.cwd())
const stop = interruption(shell)
const opened = new Map<BackendName, Composition>()

try {
  const questions = await chosenQuestions()
  const contenders = chosenContenders()
  const maxSearches = whole('max-searches')
  const asked = contenders.map(nameOf).join(', ')
  console.error(`${questions.length} questions, each asked of ${asked}; at most ${maxSearches} searches. Ctrl-C stops.`)
  const judge = values.judge ? modelJudge(executorOf('claude')) : undefined
  const running = evaluate({ questions, contenders, judge, maxSearches, now: () => performance.now() }, stop.first)
  const trials: Trial[] = []
  for (;;) {
    const { done, value } = await running.next()
    if (done) {
      const text = report(contenders, trials, value)
      process.stdout.write(values.json ? `${JSON.stringify({ end: value, trials }, null, 2)}\n` : text)
      break
    }
    trials.push(value)
    console.error(`${trials.length} of ${questions.length * contenders.length}`)
  }
} finally {
  for (const composition of opened.values()) await composition.close()
  stop.end()
}

async function chosenQuestions(): Promise<readonly Question[]> {
  const all = await load(values.set)
  return values.sample === undefined
    ? pickQuestions(all, whole('count'))
    : sampleOf(all, whole('sample'), whole('seed'))
}

async function load(set: string): Promise<readonly Question[]> {
  if (set === 'facts') return facts
  if (set === 'fresh') {
    const ask = async (url: string) => (await fetch(url, { signal: stop.first })).json()
    return await loadFreshQuestions(ask, new Date().toISOString().slice(0, 10))
  }
  const text = readFileSync(set, 'utf8')
  return text.trimStart().startsWith('{') ? readQuestions(text) : readPublished(text)
}

/** Each strategy of the first configured backend, then of the others; those without a model have only lists. */
function chosenContenders(): readonly Contender[] {
  const own = config.backends[0] ?? 'claude'
  const against = values.against.split(',').filter(Boolean).map(oneOf(backendNames))
  const asked = values.strategies.split(',').map(oneOf(strategies))
  return [own, ...against].flatMap((backend) => {
    const writes = backend === 'claude' || backend === 'messages' || backend === 'remote'
    const executor = executorOf(backend)
    return asked.flatMap((strategy) => (writes || strategy === 'results' ? [{ backend, strategy, executor }] : []))
  })
}

/** A backend, opened once, without others behind it that could answer in its place. */
function executorOf(backend: BackendName) {
  const known = opened.get(backend)
  if (known) return known.executor
  const alone = { ...config, backends: [backend] }
  const [problem] = missingForBackends(alone)
  if (problem) throw new Error(problem)
  const composition = openComposition(alone, process.env, createLog('error', shell.errors))
  opened.set(backend, composition)
  return composition.executor
}

function oneOf<Name extends string>(known: readonly Name[]): (text: string) => Name {
  return (text) => {
    const found = known.find((name) => name === text.trim())
    if (found === undefined) throw new Error(`${JSON.stringify(text)} is none of ${known.join(', ')}.`)
    return found
  }
}

function whole(flag: 'count' | 'sample' | 'seed' | 'max-searches'): number {
  const number = Number(values[flag])
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`--${flag} takes a whole number.`)
  return number
}
