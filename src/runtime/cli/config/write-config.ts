import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { replaceFile } from '../../../storage/replace-file.ts'
import { mergeConfig } from '../../config/config.ts'
import { type ConfigFile, parseConfigFile, readTextFile } from '../../config/config-file.ts'
import { configSchemaText, newConfig, schemaFile } from '../../config/json-schema.ts'
import { UsageError } from '../../config/usage-error.ts'
import { whileLocked } from '../../server/key-file.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import type { Call } from '../command.ts'

/**
 * Changes the text of the configuration file, or of a new one if there is none, and returns the file as it is then.
 * Throws a `UsageError` and leaves the file where csp would not start with it, unless it does not do so already.
 */
export async function changeConfigFile(
  { loaded, shell, flags }: Call,
  change: (path: string, text: string) => string,
): Promise<ConfigFile> {
  const { path } = loaded
  return whileLocked(path, async () => {
    const text = readTextFile('configuration file', path)
    const changed = change(path, text ?? newConfig)
    const file = parseConfigFile(path, changed)
    const problem = problemOf(file, { shell, flags })
    const wasWrong = loaded.found && loaded.problem !== undefined
    if (problem && !wasWrong) throw new UsageError(`${problem}\nNothing was changed.`)
    await replaceConfig(path, changed)
    if (problem) shell.errors.write(wrapped(`${problem}\n`, shell.errors))
    return file
  })
}

/** Writes a configuration file, through a link, and the schema that it names. */
export async function replaceConfig(path: string, text: string): Promise<void> {
  // The schema first: if the disk is full then, nothing is changed.
  if (parseConfigFile(path, text).values['$schema'] === `./${schemaFile}`)
    await replaceFile(join(dirname(path), schemaFile), configSchemaText())
  await replaceFile(existsSync(path) ? realpathSync(path) : path, text)
}

/** What is wrong with a configuration, with the variables of this terminal. */
function problemOf(file: ConfigFile, { shell, flags }: Pick<Call, 'shell' | 'flags'>): string | undefined {
  const { environment, directory } = shell
  try {
    mergeConfig({ flags, environment, directory, path: file.path, file })
    return undefined
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
}
