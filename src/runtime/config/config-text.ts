import { csp } from '../shell/program.ts'
import { nameOf, propertiesOf } from './config-file.ts'
import { withValue } from './json-edits.ts'
import { UsageError } from './usage-error.ts'

/**
 * The text of a configuration file with a setting in it, or without it where the value is `undefined`. Throws a
 * `UsageError` for a text that is no configuration.
 */
export function withSetting(path: string, text: string, key: string, value: unknown): string {
  const places = propertiesOf(path, text).filter((property) => nameOf(property) === key)
  if (places.length > 1) throw new UsageError(`"${key}" occurs more than once in ${path}: ${csp} config edit`)
  return places.length === 0 && value === undefined ? text : withValue(text, [key], value)
}
