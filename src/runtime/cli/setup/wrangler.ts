import { fileURLToPath } from 'node:url'
import { CommandError } from '../../config/usage-error.ts'
import { csp } from '../../shell/program.ts'
import { type ProgramEnd, type RunOptions, runProgram } from '../../shell/run-program.ts'
import type { Environment, Shell } from '../../shell/shell.ts'

export interface WranglerOptions extends Pick<RunOptions, 'input'> {
  /** Added to the environment. */
  readonly variables?: Readonly<Record<string, string>> | undefined
}

/** Cloudflare's command line. */
export interface Wrangler {
  readonly version: string
  /** The command, for a person to repeat. */
  readonly name: string
  run(args: readonly string[], options?: WranglerOptions): Promise<ProgramEnd>
  /** Runs it on this terminal. Resolves to the exit code. */
  converse(args: readonly string[]): Promise<number>
}

/** Finds a wrangler that works: on PATH, among our dependencies, by npx, by the Bun that runs csp. Otherwise returns why each candidate does not work. */
export async function findWrangler(environment: Environment, directory: string): Promise<Wrangler | readonly string[]> {
  const problems: string[] = []
  for (const { name, command } of candidates(environment)) {
    const wrangler = wranglerAt(name, command, environment, directory)
    const { code, output, errors } = await wrangler.run(['--version'])
    const [version, major] = /(\d+)\.\d+\.\d+/.exec(output) ?? []
    if (code === 0 && version && Number(major) >= oldestMajor) return { ...wrangler, version }
    const reason = version ? `is ${version}, and ${oldestMajor} or later is needed` : firstLine(errors || output)
    problems.push(`${name}: ${reason}`)
  }
  return problems
}

/** Whether a wrangler was found. */
export function isWrangler(found: Wrangler | readonly string[]): found is Wrangler {
  return 'version' in found
}

const oldestMajor = 4

interface Candidate {
  readonly name: string
  readonly command: readonly string[]
}

function candidates(environment: Environment): readonly Candidate[] {
  const PATH = environment['PATH'] ?? ''
  const onPath = Bun.which('wrangler', { PATH })
  const own = ownWrangler()
  const npx = Bun.which('npx', { PATH })
  return [
    ...(onPath ? [{ name: 'wrangler', command: [onPath] }] : []),
    // Under Bun, because wrangler wants a newer node than many have.
    ...(own ? [{ name: 'npx wrangler', command: [process.execPath, own] }] : []),
    ...(npx ? [{ name: 'npx wrangler', command: [npx, '--yes', `wrangler@${oldestMajor}`] }] : []),
    { name: 'bunx wrangler', command: [process.execPath, 'x', '--bun', `wrangler@${oldestMajor}`] },
  ]
}

/** The wrangler of a checkout. */
function ownWrangler(): string | undefined {
  try {
    return fileURLToPath(import.meta.resolve('wrangler'))
  } catch {
    return undefined
  }
}

function wranglerAt(name: string, command: readonly string[], environment: Environment, directory: string): Wrangler {
  const env = { ...environment, WRANGLER_SEND_METRICS: 'false', FORCE_COLOR: '0' }
  return {
    name,
    version: '',
    run: (args, { input, variables } = {}) =>
      runProgram([...command, ...args], { cwd: directory, env: { ...env, ...variables }, input }),
    converse: (args) =>
      Bun.spawn([...command, ...args], { cwd: directory, env, stdio: ['inherit', 'inherit', 'inherit'] }).exited,
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] || 'no output'
}

/** Throws a `CommandError` with the output of wrangler when it failed. */
export function mustSucceed(result: ProgramEnd, step: string): ProgramEnd {
  if (result.code === 0) return result
  const said = (result.errors.trim() || result.output.trim()).split('\n').slice(-12).join('\n')
  throw new CommandError(`${step} failed. Output of wrangler:\n${said}\nFix this and run ${csp} setup edge again.`)
}

/** Reports that a step is done. */
export function tick(shell: Shell, text: string): void {
  shell.output.write(`✓ ${text}\n`)
}
