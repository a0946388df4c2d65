import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { mergeConfig } from '../../config/config.ts'
import { parseConfigFile, readTextFile } from '../../config/config-file.ts'
import { newConfig } from '../../config/json-schema.ts'
import { UsageError } from '../../config/usage-error.ts'
import { openScratch } from '../../server/scratch.ts'
import type { Shell } from '../../shell/shell.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { type Call, exitCodes } from '../command.ts'
import { runningHint } from './change-config.ts'
import { replaceConfig } from './write-config.ts'

/**
 * `csp config edit`: opens the file, or a new one if there is none, in an editor. What was written takes its place
 * when csp would start with it; otherwise the editor opens again.
 */
export async function editConfig(call: Call): Promise<number> {
  const { shell, loaded } = call
  const { path } = loaded
  const text = readTextFile('configuration file', path)
  const editor = editorFor(shell, path)
  const scratch = openScratch()
  const draft = join(scratch.folder('edit'), basename(path))
  try {
    await writeFile(draft, text ?? newConfig, { mode: 0o600 })
    const edited = await editUntilRight(call, editor, draft)
    if (edited === undefined) return exitCodes.failed
    const isSame = edited === text || (text === undefined && edited === newConfig)
    if (isSame) {
      shell.output.write(wrapped('Nothing was changed.\n', shell.output))
      return exitCodes.done
    }
    if (readTextFile('configuration file', path) !== text) {
      shell.errors.write(
        wrapped(`${path} was changed by something else meanwhile, so it stays as it is.\n`, shell.errors),
      )
      return exitCodes.failed
    }
    await replaceConfig(path, edited)
    const lines = [`${path} is written.`, ...(await runningHint(call))]
    shell.output.write(wrapped(`${lines.join('\n')}\n`, shell.output))
    return exitCodes.done
  } finally {
    scratch.remove()
  }
}

/** The text that was written, or `undefined` if it is wrong and given up. */
async function editUntilRight(call: Call, editor: string, draft: string): Promise<string | undefined> {
  const { shell, loaded } = call
  for (;;) {
    await runEditor(shell, editor, draft)
    const edited = (await readFile(draft, 'utf8')).replace(/^\uFEFF/, '')
    const { problem, warnings } = reviewOf(call, edited)
    for (const warning of warnings) shell.errors.write(wrapped(`${warning}\n`, shell.errors))
    if (problem === undefined) return edited
    shell.errors.write(wrapped(`${problem}\n`, shell.errors))
    const reply = await shell.ask(
      `csp would not start with this. Edit again? n leaves ${loaded.path} as it was. [Y/n] `,
    )
    if (reply === undefined || /^n(o)?$/i.test(reply.trim())) {
      shell.output.write(wrapped('Nothing was changed.\n', shell.output))
      return undefined
    }
  }
}

function reviewOf({ shell, loaded, flags }: Call, text: string) {
  const { environment, directory } = shell
  try {
    const file = parseConfigFile(loaded.path, text)
    return { warnings: mergeConfig({ flags, environment, directory, path: loaded.path, file }).warnings }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { warnings: [], problem: error.message }
  }
}

/** As other programs choose it. It may have arguments: `code --wait`. */
function editorFor({ environment, output }: Shell, path: string): string {
  const named = environment['VISUAL'] || environment['EDITOR']
  if (named) return named
  if (!output.isTerminal) throw new UsageError(`Not a terminal: set EDITOR, or edit ${path} yourself.`)
  if (process.platform === 'win32') return 'notepad'
  const found = ['nano', 'vi'].find((name) => Bun.which(name, { PATH: environment['PATH'] ?? '' }))
  if (!found) throw new UsageError(`There is no editor: set EDITOR, or edit ${path} yourself.`)
  return found
}

async function runEditor({ environment }: Shell, editor: string, file: string): Promise<void> {
  const command =
    process.platform === 'win32'
      ? ['cmd', '/c', `${editor} "${file}"`]
      : ['/bin/sh', '-c', `${editor} "$1"`, 'sh', file]
  const child = Bun.spawn(command, { env: environment, stdio: ['inherit', 'inherit', 'inherit'] })
  const code = await child.exited
  if (code !== 0) throw new UsageError(`The editor ${editor} ended with code ${code}. Nothing was changed.`)
}
