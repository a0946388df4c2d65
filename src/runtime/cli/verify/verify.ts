import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { concernsOf, unseenText } from '@csp/evidence/evidence'
import type { AskedJudge } from '../../../api/dialect.ts'
import { type NativeVerifyInput, nativeVerify } from '../../../api/dialects/native/verify.ts'
import { Refusal } from '../../../api/exchange/refusal.ts'
import { validate } from '../../../api/http/validate.ts'
import { readPages } from '../../../api/serve/read-pages.ts'
import type { VerifiedClaim } from '../../../api/serve/verify.ts'
import { judged } from '../../../executor/layers/evidence/judge.ts'
import { UsageError } from '../../config/usage-error.ts'
import { createLedger } from '../../server/accounts.ts'
import { openGateway } from '../../server/open-gateway.ts'
import { openPages } from '../../server/open-pages.ts'
import { linesText, prettyJson } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import type { Shell } from '../../shell/shell.ts'
import { safe, safeLine, styleFor } from '../../shell/terminal.ts'
import { checkWriters, modelJudge } from '../../writers.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'
import { type OneOff, oneOffOptions, runOneOff } from '../one-off.ts'

const definitions = {
  url: { short: 'u', hint: 'URL', help: 'A page to look in; further ones follow as arguments' },
  textFile: { hint: 'FILE', help: 'A file of text or Markdown to look in' },
  judge: { hint: 'MODEL', help: 'Ask a model of the gateway, too: ollama/bespoke-minicheck' },
  strict: { help: 'Exit 1 unless nothing is missing, doubted or unseen' },
  ...oneOffOptions,
  json: { help: 'Print JSON, as /v1/verify does' },
} satisfies OptionDefinitions

/** `csp verify`: whether pages have what is claimed of them. */
export const verify = defineCommand({
  name: 'verify',
  usage: 'CLAIM [URL…] [FLAGS]',
  details:
    'Compares words, names, numbers, dates and quotations, without a search, and without a model unless --judge names one. `found` promises that they are there, never that the page says it. Exit code 0 if the claim was found, 1 otherwise.',
  examples: [
    `${csp} verify "Bees dance to show the way." --url https://example.org/bees`,
    `${csp} verify "The hall has 1,200 seats." --text-file report.md --json`,
  ],
  options: definitions,
  arguments: { minimum: 1, maximum: 21 },
  run: runVerify,
})

async function runVerify(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, loaded, options } = invocation
  const input = await inputFrom(invocation)
  const { requests } = asUsage(() => nativeVerify.parse(input))
  const { config } = loaded
  const pages = openPages(config, () => config.cacheDir, createLedger(config.stateDir))
  const reader = pages.forCallers
  if (requests.length > 0 && !reader) throw new UsageError('Pages cannot be read: --pages off (CSP_PAGES) is set.')
  let isFound = false
  const code = await runOneOff(
    { shell, loaded },
    options.quiet,
    async (frame) => {
      frame.atEnd(() => pages.close())
      if (requests.length > 0) frame.progress.show('Reading')
      const outcomes = reader ? await readPages(reader, requests, { signal: frame.signal }) : []
      frame.progress.end()
      const judge = options.judge === undefined ? undefined : await openJudge(options.judge, invocation, frame)
      const reply = {
        id: crypto.randomUUID(),
        createdAt: frame.createdAt,
        elapsedMs: frame.elapsedMs,
        input: { ...input, judge: judge !== undefined },
      }
      const found = await nativeVerify.format(outcomes, reply, { signal: frame.signal, judge })
      const [result] = found.results
      if (!result) return
      const isSeen = result.unseen.length === 0 || result.judge?.says === 'supported'
      isFound = result.verdict === 'found' && (isSeen || !options.strict)
      frame.print(options.json ? prettyJson(found) : verdictText(result, shell))
    },
    (error) => {
      throw error
    },
  )
  return code === exitCodes.done && !isFound ? exitCodes.failed : code
}

/** Opens the gateway for its model. Throws a `UsageError` where it has none of that name. */
async function openJudge(
  name: string,
  { shell: { environment }, loaded }: Invocation<typeof definitions>,
  { signal, log, atEnd }: OneOff,
): Promise<AskedJudge> {
  const config = { ...loaded.config, judge: name, writers: [] }
  checkWriters(config, environment)
  const gateway = await openGateway(config, environment, log, undefined)
  if (!gateway) throw new UsageError(`The judge ${name} cannot be used here.`)
  const executor = modelJudge(name, { gateway, onCall() {} })
  atEnd(async () => {
    await executor.close()
    await gateway.close()
  })
  return async (evidence) => (await judged(executor, evidence, { signal })).evidence
}

async function inputFrom({
  shell,
  arguments: given,
  options,
}: Invocation<typeof definitions>): Promise<NativeVerifyInput> {
  const [claim, ...urls] = given
  const file = options.textFile
  const text = file === undefined ? undefined : await textIn(resolve(shell.directory, file))
  const sources = [
    ...[...(options.url === undefined ? [] : [options.url]), ...urls].map((url) => ({ url })),
    ...(text === undefined ? [] : [{ text, title: file }]),
  ]
  if (sources.length === 0)
    throw new UsageError('Name the pages or the text to look in: --url URL, or --text-file FILE.')
  return asUsage(() => validate(nativeVerify.schema, { claim, sources }))
}

async function textIn(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(`--text-file: ${path} cannot be read.`, { cause: error })
  }
}

/** A wrong claim or address is a wrong argument. */
function asUsage<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw error instanceof Refusal ? new UsageError(error.message) : error
  }
}

function verdictText(
  { verdict, score, passage, missing, unseen, doubt, reason, judge, sources }: VerifiedClaim,
  { output, environment }: Shell,
) {
  const { bold, dim, link } = styleFor(output.isTerminal, environment)
  const source = sources[(passage?.source ?? 0) - 1]
  const where = source?.url ?? source?.title ?? ''
  const failed = sources.flatMap(({ url, error }) => (error ? [`${url}: ${error.message}`] : []))
  return linesText([
    `${bold(verdict)} ${dim(reason ? `(${reason})` : String(score))}`,
    ...concernsOf({ missing, doubt: doubt ?? undefined, judge: judge ?? undefined }).map(safeLine),
    ...(unseen.length > 0 ? [dim(safeLine(unseenText({ unseen })))] : []),
    ...(judge
      ? [dim(safeLine(judge.says ? `${judge.model} says: ${judge.says}` : `not judged: ${judge.problem}`))]
      : []),
    ...(passage ? ['', safe(passage.text), dim(source?.url ? link(safeLine(where), where) : where)] : []),
    ...failed.map(safeLine),
  ])
}
