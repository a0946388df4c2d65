import { claudeBinary } from '../../bun/claude-cli.ts'
import { prettyJson } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import { runProgram } from '../../shell/run-program.ts'
import type { Environment } from '../../shell/shell.ts'
import { tableLines } from '../../shell/table.ts'
import { safeLine } from '../../shell/terminal.ts'
import { version } from '../../version.ts'
import { type Call, defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'

const definitions = { json: { help: 'Print JSON' } } satisfies OptionDefinitions

/** `csp version`: what a report of a problem should name. */
export const versionCommand = defineCommand({
  name: 'version',
  usage: '[FLAGS]',
  details: `${csp} --version prints the version of csp alone.`,
  examples: [`${csp} version`, `${csp} version --json`, `${csp} --version`],
  options: definitions,
  arguments: { minimum: 0, maximum: 0 },
  run: runVersion,
})

async function runVersion({ shell, loaded, options }: Invocation<typeof definitions>): Promise<number> {
  const claude = claudeBinary(loaded.config, shell.environment)
  const facts = {
    csp: version,
    runtime: `Bun ${Bun.version} at ${process.execPath}`,
    node: shell.environment['CSP_NODE'] ?? null,
    platform: `${process.platform} ${process.arch}`,
    claude: claude ? ((await versionOf(claude, shell.environment)) ?? 'does not say its version') : null,
    claude_path: claude ?? null,
    config: loaded.path,
  }
  shell.output.write(options.json ? prettyJson(facts) : textOf(facts, loaded))
  return exitCodes.done
}

function textOf(
  { csp, runtime, node, platform, claude, claude_path, config }: Readonly<Record<string, string | null>>,
  { found }: Call['loaded'],
): string {
  const rows: readonly (readonly [string, string | null | undefined])[] = [
    ['csp', csp],
    ['runtime', runtime],
    ...(node ? [['node', node] as const] : []),
    ['platform', platform],
    ['claude', claude_path ? `${claude} at ${claude_path}` : 'not found'],
    ['config', found ? config : `${config} (no such file)`],
  ]
  return `${tableLines(rows.map((row) => row.map((cell) => safeLine(cell ?? '')))).join('\n')}\n`
}

/** What the CLI says of itself, within 5 s. */
async function versionOf(binary: string, environment: Environment): Promise<string | undefined> {
  const { output } = await runProgram([binary, '--version'], { env: environment, timeoutMs: 5000 })
  return /\d{1,9}\.\d{1,9}\.\d{1,9}\S*/.exec(output)?.[0]
}
