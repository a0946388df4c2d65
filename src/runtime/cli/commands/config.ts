import { type Setting, settings } from '../../config/settings.ts'
import { type Call, defineCommand, exitCodes, type OptionDefinitions } from '../command.ts'

const definitions = { json: { help: 'Print JSON' } } satisfies OptionDefinitions

/** `csp config`: every setting, its value and its origin. */
export const config = defineCommand({
  name: 'config',
  usage: '[FLAGS]',
  summary: 'Show every setting, its value and where it comes from',
  details: 'Flags win over variables, variables over the file. Keys are never shown.',
  examples: ['csp config', 'CSP_MODEL=haiku csp config --json'],
  options: definitions,
  arguments: { minimum: 0, maximum: 0 },
  run: async (invocation) => {
    invocation.shell.output.write(invocation.options.json ? jsonOf(invocation) : tableOf(invocation))
    for (const warning of invocation.loaded.warnings) invocation.shell.errors.write(`${warning}\n`)
    return exitCodes.done
  },
})

function jsonOf({ loaded }: Call): string {
  const entries = settings.map((setting) => [
    setting.flag,
    { value: shown(setting, loaded) ?? null, origin: loaded.origins[setting.name] },
  ])
  const file = { path: loaded.path, found: loaded.found }
  return `${JSON.stringify({ file, settings: Object.fromEntries(entries) }, null, 2)}\n`
}

function tableOf({ loaded }: Call): string {
  const rows = settings.map(
    (setting) =>
      [setting.flag, textOf(shown(setting, loaded) ?? setting.defaultText), loaded.origins[setting.name]] as const,
  )
  const widths = [0, 1].map((column) => Math.min(48, Math.max(...rows.map((row) => row[column]?.length ?? 0))))
  const lines = rows.map(([flag, value, origin]) =>
    [flag.padEnd(widths[0] ?? 0), value.padEnd(widths[1] ?? 0), origin].join('  '),
  )
  return `${lines.join('\n')}\n\nfile: ${loaded.path}${loaded.found ? '' : ' (no such file)'}\n`
}

function shown({ name, secret }: Setting, { config: values }: Call['loaded']): unknown {
  const value = values[name]
  if (!secret || value === undefined) return value
  return Array.isArray(value) ? value.map(() => '(hidden)') : '(hidden)'
}

function textOf(value: unknown): string {
  if (value === undefined) return '-'
  if (Array.isArray(value)) return value.join(',') || '-'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
