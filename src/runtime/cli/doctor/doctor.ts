import { messageOf } from '@csp/lib/errors'
import { counted } from '@csp/lib/text'
import type { ClaudeProbe } from '../../../executor/backends/claude/cli/probe.ts'
import { usedBackends } from '../../config/settings.ts'
import { Interrupted, UsageError } from '../../config/usage-error.ts'
import { claudeBinary, probeClaude, signIn } from '../../server/claude-cli.ts'
import { isGatewayAlone } from '../../server/gateway-alone.ts'
import { readKeyFile } from '../../server/key-file.ts'
import { prettyJson } from '../../shell/printed.ts'
import { commandFor, csp, docsPage } from '../../shell/program.ts'
import type { Shell } from '../../shell/shell.ts'
import { safeLine, styleFor, wrap } from '../../shell/terminal.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'
import { confirm } from '../confirm.ts'
import { runCommand } from '../run-command.ts'
import { start } from '../start/start.ts'
import { checkBackends, checkUnused } from './check-backends.ts'
import { checkClaude, checkCredentials, wrongBesideGateway } from './check-claude.ts'
import { checkDisk } from './check-disk.ts'
import { checkFormat, checkKeyFile, checkMemory, checkPermissions } from './check-files.ts'
import { checkLive } from './check-live.ts'
import {
  checkAccess,
  checkConfig,
  checkPagesBrowser,
  checkPort,
  checkState,
  describeCache,
  describeProgram,
} from './check-machine.ts'
import { checkService } from './check-service.ts'
import { checkUpstreams } from './check-upstreams.ts'
import type { Finding } from './finding.ts'

const definitions = {
  live: { help: 'Also make one search of each kind with the real model: about seven searches' },
  fix: { help: 'Repair problems; describes each repair and asks first' },
  yes: { short: 'y', help: 'With --fix: do not ask' },
  json: { help: 'Print JSON' },
} satisfies OptionDefinitions

/** `csp doctor`: checks everything that a search needs. */
export const doctor = defineCommand({
  name: 'doctor',
  usage: '[FLAGS]',
  details:
    'Costs nothing, except with --live. --fix repairs permissions, and a service whose programs have moved, and offers the login. Ends with 0 if nothing failed, 3 if the CLI or its login failed, otherwise 1.',
  examples: [`${csp} doctor`, `${csp} doctor --fix`, `${csp} doctor --live --json`],
  options: definitions,
  arguments: { minimum: 0, maximum: 0 },
  mendsConfig: true,
  run: runDoctor,
})

type DoctorCall = Invocation<typeof definitions>

async function runDoctor(call: DoctorCall): Promise<number> {
  const { shell, options, loaded } = call
  if (options.yes && !options.fix) throw new UsageError('--yes needs --fix.')
  const findings: Finding[] = []
  for await (const finding of check(call)) {
    findings.push(finding)
    if (!options.json) shell.output.write(lineOf(finding, call))
  }
  const { config } = loaded
  const isAlone = isGatewayAlone(config, shell.environment)
  const usesPlan = !isAlone && usedBackends(config).includes('claude') && config.auth === 'subscription'
  if (usesPlan && !options.json)
    shell.output.write(wrapped(`\nAnthropic's terms for subscriptions: ${docsPage('terms.md')}\n`, shell.output))
  const results = options.fix ? await fix(findings, call) : findings.map(({ mend: _, ...finding }) => finding)
  if (options.json) shell.output.write(prettyJson({ findings: results }))
  else shell.output.write(wrapped(`\n${summaryOf(results)}\n`, shell.output))
  const failures = results.filter((finding) => finding.status === 'fail' && isOpen(finding))
  if (failures.some(({ concernsClaude }) => concernsClaude)) return exitCodes.signedOut
  return failures.length > 0 ? exitCodes.failed : exitCodes.done
}

/** How it ends: what can be searched now, as everything else says it, and how many problems there are. */
function summaryOf(results: readonly MendedFinding[]): string {
  const state = results.find(({ check }) => check === 'searches')
  const rest = problemsOf(results.filter((it) => it !== state))
  if (!state) return rest ?? 'No problems.'
  return `${state.message} ${rest ?? (state.status === 'ok' ? 'No problems.' : 'No other problems.')}`
}

function problemsOf(results: readonly MendedFinding[]): string | undefined {
  const named = (status: Finding['status'], one: string) => {
    const checks = results.filter((it) => it.status === status && isOpen(it)).map(({ check }) => check)
    return checks.length > 0 ? [`${counted(checks.length, one)}: ${[...new Set(checks)].join(', ')}`] : []
  }
  const open = [...named('fail', 'problem'), ...named('warn', 'warning')]
  return open.length > 0 ? `${open.join('; ')}.` : undefined
}

async function* check(call: DoctorCall): AsyncGenerator<Finding> {
  const { shell, loaded, options } = call
  const { config } = loaded
  yield describeProgram(shell.environment)
  if (config.sandbox) yield onSandbox
  const isAlone = isGatewayAlone(config, shell.environment)
  if (isAlone) yield* wrongBesideGateway(config, shell.environment)
  else if (usedBackends(config).includes('claude')) {
    const probe = await probeClaude(config, shell.environment)
    for (const finding of checkClaude(probe, config.claudeBin, signInWith(probe.binary, shell))) {
      yield finding.check === 'login' && finding.status === 'fail' ? withLogin(finding, probe, call) : finding
    }
    yield checkCredentials(config, shell.environment)
  }
  yield* await checkBackends(config)
  if (isAlone) yield withoutSearches
  else yield* checkUnused(loaded, shell.environment)
  yield* await checkUpstreams(config, shell.environment)
  yield* await checkPagesBrowser(config)
  yield await checkPort(config)
  const damaged = await checkKeyFile(config)
  yield damaged ?? checkAccess(config, await readKeyFile(config.keyFile))
  yield describeCache(config)
  yield checkDisk(config)
  const newer = checkFormat(config)
  if (newer) yield newer
  yield checkMemory(config)
  yield await checkPermissions(loaded, shell.environment)
  const installed = checkService(
    call,
    async (flags) => (await runCommand(start, ['--at-login', ...flags], shell)) === exitCodes.done,
  )
  if (installed) yield installed
  yield checkConfig(loaded)
  yield* await checkState(loaded)
  if (options.live) yield* checkLive(call, signInWith(claudeBinary(config, shell.environment), shell))
}

const withoutSearches: Finding = {
  status: 'ok',
  check: 'backends',
  message: `none: a gateway alone. ${csp} config set backends parallel-free gives it searches without a key`,
}

const onSandbox: Finding = {
  status: 'ok',
  check: 'sandbox',
  message: 'nothing here comes from the web',
}

/** Offers the login of the CLI, in this terminal. */
function withLogin(finding: Finding, { binary }: ClaudeProbe, { shell, loaded }: DoctorCall): Finding {
  if (binary === undefined) return finding
  const what = `${commandFor(binary, shell.environment)} auth login`
  return {
    ...finding,
    mend: {
      what,
      asks: true,
      run: async () => (await signIn(binary, loaded.config, shell.environment)).signedIn === true,
    },
  }
}

async function fix(findings: readonly Finding[], call: DoctorCall): Promise<readonly MendedFinding[]> {
  const { shell, options } = call
  // With --json the story goes to standard error.
  const told = options.json ? { ...shell, output: shell.errors } : shell
  told.output.write('\n')
  const results = await mendFindings(findings, told, options.yes)
  const open = results.filter((finding) => isOpen(finding) && finding.remedy)
  if (!results.some(({ mended }) => mended !== undefined))
    told.output.write(wrapped('Nothing was repaired.\n', told.output))
  if (open.length > 0) told.output.write(wrapped('\nTo do by hand:\n', told.output))
  for (const finding of open) told.output.write(lineOf(finding, call))
  return results
}

/** A finding, and what became of it: `undefined` if nothing was tried. */
interface MendedFinding extends Omit<Finding, 'mend'> {
  readonly mended?: boolean | undefined
}

/**
 * Mends what can be mended: says what it is about to do, and asks unless it `isAgreed`. Throws a `UsageError` where
 * somebody would have to be asked, and nobody is there.
 */
export async function mendFindings(
  findings: readonly Finding[],
  shell: Shell,
  isAgreed: boolean,
): Promise<readonly MendedFinding[]> {
  const mended: MendedFinding[] = []
  for (const { mend, ...finding } of findings) {
    const isWanted = mend !== undefined && (await agrees(shell, mend, isAgreed))
    if (!mend || !isWanted) {
      mended.push(finding)
      continue
    }
    const problem = await mend.run().then(
      (helped) => (helped ? undefined : 'That did not help.'),
      (error: unknown) => {
        if (error instanceof Interrupted) throw error
        return messageOf(error)
      },
    )
    shell.output.write(problem === undefined ? '  Done.\n' : `  ${safeLine(problem)}\n`)
    mended.push({ ...finding, mended: problem === undefined })
  }
  return mended
}

async function agrees(shell: Shell, mend: NonNullable<Finding['mend']>, isAgreed: boolean): Promise<boolean> {
  const text = mend.what
  if (isAgreed) {
    if (mend.asks && !shell.output.isTerminal) return false
    shell.output.write(wrapped(`${text}\n`, shell.output))
    return true
  }
  const instead = `Not a terminal: cannot prompt. ${csp} doctor --fix --yes asks nothing.`
  return confirm(shell, `${text}?`, { usual: 'yes', instead })
}

/** True if something is still wrong, or may be. */
export function isOpen({ status, mended }: MendedFinding): boolean {
  return status !== 'ok' && mended !== true
}

/** How to sign in with the CLI that csp uses, which need not be the one on PATH. */
function signInWith(binary: string | undefined, { environment }: Shell): string {
  const command = binary === undefined ? 'claude' : commandFor(binary, environment)
  return `Run \`${csp} login\` in a terminal (it starts \`${command} auth login\`).`
}

function lineOf({ status, check, message, remedy }: Finding, { shell }: DoctorCall): string {
  const { bold } = styleFor(shell.output.isTerminal, shell.environment)
  const mark = (status === 'ok' ? status : bold(status)).padEnd(
    status === 'ok' ? 6 : 6 + bold(status).length - status.length,
  )
  const { isTerminal, columns } = shell.output
  // On a narrow terminal the text stands below the name of the check.
  const isNarrow = isTerminal && columns < 60
  const indent = ' '.repeat(isNarrow ? 4 : textColumn)
  const shown = (text: string) => (isTerminal ? wrap(safeLine(text), columns, indent) : indent + safeLine(text))
  const said = isNarrow ? `\n${shown(message)}` : shown(message).slice(textColumn)
  const todo = remedy ? `\n${shown(remedy)}` : ''
  return `${mark}${isNarrow ? check : check.padEnd(14)}${said}${todo}\n`
}

/** The column of a finding's text. */
const textColumn = 20
