import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { concernsOf, unseenText } from '@csp/evidence/evidence'
import { type NativeVerifyInput, nativeVerify } from '../../../api/dialects/native/verify.ts'
import { Refusal } from '../../../api/exchange/refusal.ts'
import { validate } from '../../../api/http/validate.ts'
import { readPages } from '../../../api/serve/read-pages.ts'
import type { VerifiedClaim } from '../../../api/serve/verify.ts'
import { UsageError } from '../../config/usage-error.ts'
import { createLedger } from '../../server/accounts.ts'
import { openPages } from '../../server/open-pages.ts'
import { linesText, prettyJson } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import type { Shell } from '../../shell/shell.ts'
import { safe, safeLine, styleFor } from '../../shell/terminal.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'
import { oneOffOptions, runOneOff } from '../one-off.ts'

const definitions = {
  url: { short: 'u', hint: 'URL', help: 'Page to look in; further pages follow as arguments' },
  textFile: { hint: 'FILE', help: 'File of text or Markdown to look in' },
  strict: { help: 'Exit with 1 if anything is missing, doubted or unseen' },
  ...oneOffOptions,
  json: { help: 'Print JSON, as /v1/verify does' },
} satisfies OptionDefinitions

/** `csp verify`: whether pages have what is claimed of them. */
export const verify = defineCommand({
  name: 'verify',
  usage: 'CLAIM [URL…] [FLAGS]',
  details:
    'Compares words, names, numbers, dates and quotations. It needs no model and no search. `found` means that they are on the page, not that the page says it. Exit code 0 if the claim was found, otherwise 1.',
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
      const reply = { id: crypto.randomUUID(), createdAt: frame.createdAt, elapsedMs: frame.elapsedMs, input }
      const found = await nativeVerify.format(outcomes, reply)
      const [result] = found.results
      if (!result) return
      isFound = result.verdict === 'found' && !(options.strict && result.unseen.length > 0)
      frame.print(options.json ? prettyJson(found) : verdictText(result, shell))
    },
    (error) => {
      throw error
    },
  )
  return code === exitCodes.done && !isFound ? exitCodes.failed : code
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
  { verdict, score, passage, missing, unseen, doubt, reason, sources }: VerifiedClaim,
  { output, environment }: Shell,
) {
  const { bold, dim, link } = styleFor(output.isTerminal, environment)
  const source = sources[(passage?.source ?? 0) - 1]
  const where = source?.url ?? source?.title ?? ''
  const failed = sources.flatMap(({ url, error }) => (error ? [`${url}: ${error.message}`] : []))
  return linesText([
    `${bold(verdict)} ${dim(reason ? `(${reason})` : String(score))}`,
    ...concernsOf({ missing, doubt: doubt ?? undefined }).map(safeLine),
    ...(unseen.length > 0 ? [dim(safeLine(unseenText({ unseen })))] : []),
    ...(passage ? ['', safe(passage.text), dim(source?.url ? link(safeLine(where), where) : where)] : []),
    ...failed.map(safeLine),
  ])
}
