import { resolve } from 'node:path'
import { SearchError, toSearchError } from '../../../domain/error.ts'
import { type Contender, expectedSearches, nameOf, strategies } from '../../../eval/contender.ts'
import { type EndReason, evaluate, type Trial } from '../../../eval/evaluate.ts'
import { modelJudge } from '../../../eval/judge.ts'
import type { Question } from '../../../eval/questions/question.ts'
import { reportOf } from '../../../eval/report.ts'
import { tableOf } from '../../../eval/table.ts'
import { isUnusableCli } from '../../../executor/backends/claude/cli/probe.ts'
import { whenAborted } from '../../../lib/abort.ts'
import { type BackendName, backendNames } from '../../config/declarations/backends.ts'
import { missingForBackends } from '../../config/settings.ts'
import { meant, UsageError } from '../../config/usage-error.ts'
import { type Composition, openComposition } from '../../server/composition.ts'
import { prettyJson } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import { interruption } from '../../shell/shell.ts'
import { safeLine } from '../../shell/terminal.ts'
import { version } from '../../version.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions, oneOf, wholeNumber } from '../command.ts'
import { confirm } from '../confirm.ts'
import { quietLog } from '../one-off.ts'
import { evalClaims } from './eval-claims.ts'
import { claimsOf, questionsOf } from './question-set.ts'
import { TrialFile } from './trial-file.ts'

const definitions = {
  set: { hint: 'SET', help: 'facts, fresh, or a file: JSON lines (claims, too), or CSV as of SimpleQA (facts)' },
  count: { short: 'n', hint: 'N', help: 'Maximum number of questions (50)', parse: wholeNumber(1) },
  sample: { hint: 'N', help: 'Number of questions to pick at random instead', parse: wholeNumber(1) },
  seed: { hint: 'S', help: 'Seed of that choice (1)', parse: wholeNumber(0) },
  strategies: {
    hint: 'STRATEGIES',
    help: 'results, fast, standard, deep, with commas between them (results,standard)',
    parse: namesOf(strategies),
  },
  against: { hint: 'BACKENDS', help: 'Other backends that are asked the same', parse: namesOf(backendNames) },
  judge: {
    hint: 'JUDGE',
    help: 'Who decides whether an answer is right: claude, or none, which compares words (none)',
    parse: oneOf(['claude', 'none']),
  },
  maxSearches: { hint: 'N', help: 'Stop after this many searches (100)', parse: wholeNumber(1) },
  out: { hint: 'FILE', help: 'Keep each trial in this file, and continue an earlier run from it' },
  yes: { short: 'y', help: 'Begin without asking' },
  json: { help: 'Print JSON, with each trial' },
} satisfies OptionDefinitions

/** `csp eval`: how good the searches are, how fast, and what they cost. */
export const evalCommand = defineCommand({
  name: 'eval',
  usage: '[FLAGS]',
  details:
    'It makes real searches, says how many before it begins, and asks. The cache is not used. It stops when a usage limit comes near; what was measured until then is shown, as after Ctrl-C. The set fresh reads the latest releases of twenty products from endoflife.date.',
  examples: [
    `${csp} eval -n 10`,
    `${csp} eval --strategies results,fast,standard,deep --judge claude --max-searches 300`,
    `${csp} eval --set questions.jsonl --strategies results --against searxng --json`,
    `${csp} eval --set wice-dev.jsonl --judge claude`,
    `${csp} eval --set simple_qa_test_set.csv --sample 100 --strategies results --out simpleqa.trials`,
  ],
  options: definitions,
  arguments: { minimum: 0, maximum: 0 },
  run: runEval,
})

type EvalInvocation = Invocation<typeof definitions>

async function runEval(invocation: EvalInvocation): Promise<number> {
  const { shell, loaded, options } = invocation
  const { maxSearches = 100, judge = 'none', json } = options
  for (const warning of loaded.warnings) shell.errors.write(`${warning}\n`)
  const stop = interruption(shell)
  const opened = new OpenedBackends(invocation)
  try {
    const claims = claimsOf(options, shell.directory)
    if (claims) {
      const executor = judge === 'claude' ? opened.executorOf('claude') : undefined
      const agreed = (estimate: string) => agrees(invocation, estimate)
      return await evalClaims(shell, { ...options, claims, executor, agrees: agreed, signal: stop.first })
    }
    const questions = await questionsOf(options, shell.directory, stop.first)
    const contenders = opened.contenders()
    const { out, set = 'facts' } = options
    const file = out === undefined ? undefined : new TrialFile(resolve(shell.directory, out), { set, judge })
    const trials = file?.known(questions, contenders) ?? []
    const estimate = estimateOf(questions, contenders, maxSearches, judge, trials.length)
    if (!(await agrees(invocation, estimate))) return exitCodes.interrupted
    const plan = {
      questions,
      contenders,
      maxSearches,
      now: () => performance.now(),
      isKnown: (question: Question, contender: Contender) => file?.has(question, contender) ?? false,
      endsAll: isUnusableCli,
      judge: judge === 'claude' ? modelJudge(opened.executorOf('claude')) : undefined,
    }
    const end = await measure(plan, trials, file, invocation, stop.first)
    const report = reportOf(contenders, trials, end)
    const head = { version, set, judge, endedAt: new Date().toISOString() }
    shell.output.write(json ? prettyJson({ ...head, ...report }) : tableOf(report))
    return end === 'interrupted' ? exitCodes.interrupted : end === 'limit' ? exitCodes.limited : exitCodes.done
  } catch (error) {
    if (!(error instanceof SearchError)) throw error
    shell.errors.write(`${safeLine(error.message)}\n`)
    return isUnusableCli(error) ? exitCodes.signedOut : exitCodes.failed
  } finally {
    await Promise.race([opened.close(), whenAborted(stop.again)])
    stop.end()
  }
}

/** Runs the plan with a line of progress. Fills `trials`, so that what was measured before a failure is kept. */
async function measure(
  plan: Parameters<typeof evaluate>[0],
  trials: Trial[],
  file: TrialFile | undefined,
  { shell: { errors } }: EvalInvocation,
  signal: AbortSignal,
): Promise<EndReason> {
  const total = plan.questions.length * plan.contenders.length
  const show = (text: string) => errors.isTerminal && errors.write(`\r\x1b[2K${text.slice(0, errors.columns - 1)}`)
  const running = evaluate(plan, signal)
  try {
    for (;;) {
      show(`${trials.length} of ${total} asked`)
      const { done, value } = await running.next()
      if (done) return value
      trials.push(value)
      file?.add(value)
    }
  } catch (error) {
    // Without anything measured, the failure is all there is to show.
    if (trials.length === 0) throw error
    show('')
    errors.write(`${safeLine(toSearchError(error).message)}\n`)
    return 'failed'
  } finally {
    show('')
  }
}

/** The backends of an evaluation, each opened once, without others behind it that could answer in its place. */
class OpenedBackends {
  readonly #invocation: EvalInvocation
  readonly #compositions = new Map<BackendName, Composition>()

  constructor(invocation: EvalInvocation) {
    this.#invocation = invocation
  }

  executorOf(backend: BackendName) {
    const { shell, loaded } = this.#invocation
    const known = this.#compositions.get(backend)
    if (known) return known.executor
    const config = { ...loaded.config, backends: [backend] }
    const [problem] = missingForBackends(config)
    if (problem) throw new UsageError(problem)
    const log = quietLog({ shell, loaded }, 'error')
    const composition = openComposition(config, shell.environment, log)
    this.#compositions.set(backend, composition)
    return composition.executor
  }

  /** Each strategy of the first configured backend, then those strategies of the others that they have. */
  contenders(): readonly Contender[] {
    const { options, loaded } = this.#invocation
    const { strategies: asked = ['results', 'standard'], against = [] } = options
    const [own = 'claude'] = loaded.config.backends
    const all = [...new Set([own, ...against])].flatMap((backend) => {
      const executor = this.executorOf(backend)
      return asked.flatMap((strategy) =>
        writes(backend) || strategy === 'results' ? [{ backend, strategy, executor }] : [],
      )
    })
    if (all.length === 0)
      throw new UsageError(`${own} has no model, so its only strategy is results: --strategies results`)
    return all
  }

  async close(): Promise<void> {
    await Promise.all([...this.#compositions.values()].map((composition) => composition.close()))
  }
}

/** Whether a backend writes answers by itself. */
function writes(backend: BackendName): boolean {
  return backend === 'claude' || backend === 'messages' || backend === 'remote'
}

/** Asks on a terminal whether to begin. On the sandbox nothing is spent. Throws a `UsageError` where nobody can be asked. */
async function agrees({ shell, options, loaded }: EvalInvocation, estimate: string): Promise<boolean> {
  shell.errors.write(`${estimate}\n`)
  if (options.yes || loaded.config.sandbox) return true
  return confirm(shell, 'Begin?', { usual: 'no', instead: 'Not a terminal: add --yes to start.' })
}

function estimateOf(
  questions: readonly Question[],
  contenders: readonly Contender[],
  maxSearches: number,
  judge: string,
  known: number,
): string {
  const perQuestion = contenders.reduce((sum, { strategy }) => sum + expectedSearches[strategy], 0)
  const searches = questions.length * perQuestion
  const judged = contenders.filter(({ strategy }) => strategy !== 'results').length
  const enough = Math.floor(maxSearches / perQuestion)
  return [
    `${questions.length} questions, each asked of ${contenders.map(nameOf).join(', ')}: about ${searches} searches.`,
    searches > maxSearches && ` It stops after ${maxSearches}, which is enough for about ${enough} questions.`,
    known > 0 && ` ${known} of the ${questions.length * contenders.length} trials are in the file already.`,
    judge === 'claude' &&
      ` The judge makes a model call for each of ${Math.min(questions.length, enough) * judged} answers.`,
    ' The budget of csp holds, and the cache is not used.',
  ]
    .filter(Boolean)
    .join('')
}

/** Reads names with commas between them, each once. Throws a `UsageError` for one that is not known. */
function namesOf<Name extends string>(known: readonly Name[]): (text: string, flag: string) => readonly Name[] {
  return (text, flag) => {
    const names = text.split(',').map((name) => name.trim())
    return [...new Set(names)].map((name) => {
      const found = known.find((one) => one === name)
      if (found !== undefined) return found
      throw new UsageError(
        `--${flag} takes ${known.join(', ')}, not ${JSON.stringify(name)}. ${meant(name, known, '')}`.trimEnd(),
      )
    })
  }
}
