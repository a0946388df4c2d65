import { durationText } from './setting-types.ts'
import { type Setting, settings } from './settings.ts'

/** A new configuration file: every setting as a comment, with what it is for and its default. */
export function configTemplate(): string {
  const groups = [...Map.groupBy(settings, ({ group }) => group)]
  return [
    '// The configuration of csp: JSON with comments. Every setting is a comment until the // before it is removed.',
    '// A flag wins over a variable such as CSP_PORT, a variable over this file. `csp config` shows what holds;',
    '// `csp config set NAME VALUE` changes a line. Times are seconds, or such as 30s, 5m, 2h, 1d.',
    '{',
    groups.map(([group, members]) => [`  // ${group}`, ...members.map(linesOf)].join('\n')).join('\n\n'),
    '}',
    '',
  ].join('\n')
}

function linesOf(setting: Setting): string {
  const { flag, help } = setting
  return `  // ${help}\n  // "${flag}": ${exampleOf(setting)},`
}

/** The default, so that a line without its // changes nothing. `null` is the default too. */
function exampleOf({ hint, default: value, defaultText }: Setting): string {
  if (defaultText !== undefined) return /^\d+$/.test(defaultText) ? defaultText : JSON.stringify(defaultText)
  if (hint === 'TIME' && typeof value === 'number') return JSON.stringify(durationText(value))
  return JSON.stringify(value ?? null)
}
