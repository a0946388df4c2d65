import { collect, sourcesOf } from '../../../domain/answer.ts'
import { toSearchError } from '../../../domain/error.ts'
import { claudeBinary, probeClaude } from '../../bun/claude-cli.ts'
import { openComposition } from '../../bun/composition.ts'
import { readKeyFile } from '../../bun/key-file.ts'
import { createLog } from '../../log/log.ts'
import { asCalled, commandFor, docsPage } from '../../shell/program.ts'
import { interruption, type Shell } from '../../shell/shell.ts'
import { safeLine, styleFor } from '../../shell/terminal.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'
import { checkBackends } from '../doctor/check-backends.ts'
import { checkClaude, checkCredentials } from '../doctor/check-claude.ts'
import { checkAccess, checkCache, checkConfig, checkPort } from '../doctor/check-machine.ts'
import type { Finding } from '../doctor/finding.ts'

const definitions = {
  live: { help: 'Also make one real search, which your subscription pays for' },
  json: { help: 'Print JSON' },
} satisfies OptionDefinitions

/** `csp doctor`: checks everything that a search needs. */
export const doctor = defineCommand({
  name: 'doctor',
  usage: '[FLAGS]',
  summary: 'Check the CLI, its login, other backends, port, cache and settings',
  details:
    'Costs nothing, except with --live. Ends with 0 when nothing failed, 3 when the CLI or its login failed, otherwise 1.',
  examples: ['csp doctor', 'csp doctor --live --json'],
  options: definitions,
  arguments: { minimum: 0, maximum: 0 },
  run: runDoctor,
})

async function runDoctor(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, options, loaded } = invocation
  const findings: Finding[] = []
  const add = (finding: Finding): void => {
    findings.push(finding)
    if (!options.json) shell.output.write(lineOf(finding, invocation))
  }
  if (loaded.config.backends.includes('claude')) {
    const probe = await probeClaude(loaded.config, shell.environment)
    for (const finding of checkClaude(probe, loaded.config.claudeBin, signInWith(probe.binary, shell))) add(finding)
    add(checkCredentials(loaded.config, shell.environment))
  }
  for (const finding of await checkBackends(loaded.config)) add(finding)
  add(await checkPort(loaded.config))
  add(checkAccess(loaded.config, await readKeyFile(loaded.config.keyFile)))
  add(checkCache(loaded.config))
  add(checkConfig(loaded))
  if (options.live) add(await checkLive(invocation))

  const usesPlan = loaded.config.backends.includes('claude') && loaded.config.auth === 'subscription'
  if (usesPlan && !options.json)
    shell.output.write(`\nThe vendor's terms for a subscription: ${docsPage('terms.md')}\n`)
  if (options.json) shell.output.write(`${JSON.stringify({ findings }, null, 2)}\n`)
  const failures = findings.filter(({ status }) => status === 'fail')
  if (failures.some(({ concernsClaude }) => concernsClaude)) return exitCodes.signedOut
  return failures.length > 0 ? exitCodes.failed : exitCodes.done
}

async function checkLive({ shell, loaded: { config } }: Invocation<typeof definitions>): Promise<Finding> {
  const check = 'live search'
  const stop = interruption(shell)
  const composition = openComposition({ ...config, cacheTtl: 0 }, shell.environment, createLog('silent', shell.errors))
  const startedAt = performance.now()
  try {
    const request = {
      query: 'current weather in Paris',
      history: [],
      want: 'results',
      effort: 'fast',
      filters: {},
    } as const
    const answer = await collect(composition.executor.search(request, { signal: stop.first }))
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    return { status: 'ok', check, message: `${sourcesOf(answer.searches).length} results in ${seconds} s` }
  } catch (error) {
    const { code, message } = toSearchError(error)
    const remedy =
      code === 'signed-out'
        ? signInWith(claudeBinary(config, shell.environment), shell)
        : 'Try again with --log-level debug.'
    return { status: 'fail', check, message, remedy, concernsClaude: code === 'signed-out' }
  } finally {
    await composition.close()
    stop.end()
  }
}

/** How to sign in with the CLI that csp uses, which need not be the one on PATH. */
function signInWith(binary: string | undefined, { environment }: Shell): string {
  const command = binary === undefined ? 'claude' : commandFor(binary, environment)
  return `Run \`${command}\` in a terminal and sign in with /login.`
}

function lineOf({ status, check, message, remedy }: Finding, { shell }: Invocation<typeof definitions>): string {
  const { bold } = styleFor(shell.output.isTerminal, shell.environment)
  const mark = (status === 'ok' ? status : bold(status)).padEnd(
    status === 'ok' ? 6 : 6 + bold(status).length - status.length,
  )
  const todo = remedy ? `\n${' '.repeat(20)}${safeLine(asCalled(remedy, shell.program))}` : ''
  return `${mark}${check.padEnd(14)}${safeLine(message)}${todo}\n`
}
