import { nearest } from '@csp/lib/nearest'
import { csp } from '../shell/program.ts'
import type { Environment } from '../shell/shell.ts'
import type { ConfigFile } from './config-file.ts'
import { type Setting, settings } from './settings.ts'

interface GivenSetting {
  readonly setting: Setting
  /** `--port`, `CSP_PORT`, or a line of the file. */
  readonly origin: string
}

/** What was given and does not do what somebody may have meant by it. Nothing of it keeps csp from starting. */
export function warningsAbout(
  environment: Environment,
  file: ConfigFile | undefined,
  given: readonly GivenSetting[],
): readonly string[] {
  return [...unknownKeys(file), ...repeatedKeys(file), ...unknownVariables(environment), ...visibleSecrets(given)]
}

function unknownKeys(file: ConfigFile | undefined): readonly string[] {
  const known = settings.map((setting) => setting.flag)
  return Object.keys(file?.values ?? {})
    .filter((key) => key !== '$schema' && !known.includes(key))
    .map((key) => `${file?.path} line ${file?.lineOf(key)}: "${key}" is not a setting${hint(key, known, '"')}`)
}

function repeatedKeys(file: ConfigFile | undefined): readonly string[] {
  return (file?.repeated ?? []).map(
    (key) => `${file?.path} line ${file?.lineOf(key)}: "${key}" stands there more than once; this one holds.`,
  )
}

/** Every user of the machine can read a command line. */
function visibleSecrets(given: readonly GivenSetting[]): readonly string[] {
  return given
    .filter(({ setting, origin }) => setting.secret && origin.startsWith('--'))
    .map(
      ({ setting, origin }) =>
        `Other users of this machine can read ${origin} in the list of processes: set ${setting.variable}, or make keys with ${csp} keys add.`,
    )
}

function unknownVariables(environment: Environment): readonly string[] {
  // The launcher sets CSP_NODE, `csp restart` CSP_TAKES_OVER, and `csp start` and a service CSP_MANAGER.
  const known = [
    'CSP_CONFIG',
    'CSP_NODE',
    'CSP_TAKES_OVER',
    'CSP_MANAGER',
    'CSP_NO_UPDATE_CHECK',
    ...settings.flatMap((setting) => setting.variable ?? []),
  ]
  return Object.keys(environment)
    .filter((name) => name.startsWith('CSP_') && !known.includes(name))
    .map((name) => `${name} is not a setting${hint(name, known, '')}`)
}

function hint(name: string, known: readonly string[], quote: string): string {
  const meant = nearest(name, known)
  return meant ? `. Did you mean ${quote}${meant}${quote}?` : ' and was ignored.'
}
