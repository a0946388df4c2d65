import { momentOf } from '@csp/lib/times'
import { AnswerFold, sourcesOf } from '../../../domain/answer.ts'
import type { Job } from '../../../domain/job.ts'
import { hasEnded } from '../../../jobs/background-jobs.ts'
import type { JobStore } from '../../../jobs/job-store.ts'
import { requireStateFolder } from '../../config/formats.ts'
import { CommandError, UsageError } from '../../config/usage-error.ts'
import { createLog } from '../../log/log.ts'
import { hasJobs, openJobStore } from '../../server/open-jobs.ts'
import { linesText, prettyJson, tableText } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import { safe, safeLine } from '../../shell/terminal.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions, wholeNumber } from '../command.ts'

const definitions = {
  limit: { short: 'n', hint: 'N', parse: wholeNumber(1, 1000), help: 'Jobs in the list (20)' },
  json: { help: 'Print JSON' },
} satisfies OptionDefinitions

/** `csp jobs`: answers in the background. */
export const jobs = defineCommand({
  name: 'jobs',
  usage: '[list|show ID|cancel ID] [FLAGS]',
  details:
    'A job is an answer in the background. Clients start one, for example with "background": true. A running csp stops a cancelled job within seconds. Unfinished jobs continue when csp starts again.',
  examples: [`${csp} jobs`, `${csp} jobs show ID`, `${csp} jobs cancel ID`],
  options: definitions,
  words: { list: [], show: [], cancel: [] },
  arguments: { minimum: 0, maximum: 2 },
  run: runJobs,
})

async function runJobs(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, loaded, options } = invocation
  const [action = 'list', id] = invocation.arguments
  const isList = action === 'list' && id === undefined
  if (!isList && !((action === 'show' || action === 'cancel') && id !== undefined)) {
    throw new UsageError(`Usage: ${csp} jobs [list|show ID|cancel ID]`)
  }
  const { stateDir } = loaded.config
  requireStateFolder(stateDir)
  if (!hasJobs(stateDir)) {
    if (id !== undefined) throw missing(id)
    shell.output.write(options.json ? prettyJson([]) : noJobs)
    return exitCodes.done
  }
  const store = openJobStore(stateDir, createLog('warning', shell.errors))
  try {
    if (id === undefined) {
      const found = store.ids({ limit: options.limit ?? 20 }).flatMap((each) => store.get(each) ?? [])
      shell.output.write(options.json ? prettyJson(found.map(rowOf)) : listOf(found, shell.output.columns))
      return exitCodes.done
    }
    const job = find(store, id)
    if (action === 'cancel') {
      store.cancel(job.id, Date.now())
      const now = store.get(job.id) ?? job
      shell.output.write(options.json ? prettyJson(rowOf(now)) : `${now.id} ${now.status}\n`)
      return exitCodes.done
    }
    shell.output.write(options.json ? prettyJson({ ...rowOf(job), ...broughtBy(store, job) }) : pageOf(store, job))
    return exitCodes.done
  } finally {
    store.close()
  }
}

/** Finds a job by its id, also with the prefix that its vendor puts before it. */
function find(store: JobStore, id: string): Job {
  const found = store.get(id.replace(/^[a-z]+_/, ''))
  if (!found) throw missing(id)
  return found
}

function missing(id: string): CommandError {
  return new CommandError(`There is no job ${JSON.stringify(id)}; it may have been deleted.`)
}

function rowOf({ id, vendor, owner, status, createdAt, startedAt, endedAt, request, failure }: Job) {
  const timeOf = (time: number | undefined) => (time === undefined ? null : new Date(time).toISOString())
  return {
    object: 'job',
    id,
    vendor,
    key: owner,
    status,
    question: request.query,
    error: failure?.message ?? null,
    created_at: timeOf(createdAt),
    started_at: timeOf(startedAt),
    ended_at: timeOf(endedAt),
  }
}

function broughtBy(store: JobStore, { id }: Job) {
  const fold = new AnswerFold()
  const events = store.events(id, 0)
  let text = ''
  for (const { event, run } of events) {
    if (run !== events.at(-1)?.run) continue
    fold.add(event)
    if (event.type === 'text-delta') text += event.text
  }
  const sources = sourcesOf(fold.searches).map(({ url, title }) => ({ url, title }))
  return { searches: fold.searches.map(({ query }) => query), answer: text || null, sources }
}

function pageOf(store: JobStore, job: Job): string {
  const { searches, answer, sources } = broughtBy(store, job)
  const state = job.failure ? `${job.status}: ${job.failure.message}` : job.status
  return linesText([
    `${safeLine(job.request.query)}`,
    `${job.vendor}, ${momentOf(new Date(job.createdAt).toISOString())}: ${safeLine(state)}`,
    ...(answer === null && !hasEnded(job) ? searches.map((query) => `  ${safeLine(query)}`) : []),
    ...(answer === null ? [] : ['', safe(answer), '']),
    ...(answer === null ? [] : sources.map(({ url, title }, at) => `[${at + 1}] ${safeLine(title)} ${safeLine(url)}`)),
  ])
}

const noJobs = 'There are no jobs.\n'

function listOf(found: readonly Job[], columns: number): string {
  if (found.length === 0) return noJobs
  const rows = found.map(({ id, createdAt, status, vendor, request }) => [
    ...[momentOf(new Date(createdAt).toISOString()), id, status, vendor],
    safeLine(request.query),
  ])
  return tableText(rows, columns)
}
