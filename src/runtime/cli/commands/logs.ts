import { existsSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { whenAborted } from '../../../lib/abort.ts'
import { logFile } from '../../background/background.ts'
import { asCalled } from '../../shell/program.ts'
import { interruption, type Stream } from '../../shell/shell.ts'
import { safe } from '../../shell/terminal.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions, wholeNumber } from '../command.ts'

const definitions = {
  lines: { short: 'n', hint: 'N', help: 'How many of the last lines (50)', parse: wholeNumber(0, 1_000_000) },
  follow: { short: 'f', help: 'Go on with new lines until Ctrl-C' },
} satisfies OptionDefinitions

/** `csp logs`: what the csp in the background has logged. */
export const logs = defineCommand({
  name: 'logs',
  usage: '[FLAGS]',
  summary: 'Show the log of the csp in the background',
  details: 'A service of systemd logs to the journal: journalctl --user -u csp.',
  examples: ['csp logs', 'csp logs -f', 'csp logs -n 500'],
  options: definitions,
  arguments: { minimum: 0, maximum: 0 },
  run: runLogs,
})

async function runLogs({ shell, loaded, options }: Invocation<typeof definitions>): Promise<number> {
  const path = logFile(loaded.config.stateDir)
  if (!existsSync(path)) {
    const none = `There is no log at ${path}: csp start writes one, and a service logs to journalctl --user -u csp.\n`
    shell.errors.write(asCalled(none, shell.program))
    return exitCodes.failed
  }
  const end = await showLast(path, options.lines ?? 50, shell.output)
  if (!options.follow) return exitCodes.done
  const stop = interruption(shell)
  try {
    await follow(path, end, shell.output, stop.first)
    return exitCodes.done
  } finally {
    stop.end()
  }
}

/** Writes the last lines, and resolves to where they end. */
async function showLast(path: string, lines: number, output: Stream): Promise<number> {
  const { size } = await stat(path)
  const from = Math.max(0, size - maxShownBytes)
  const all = (await read(path, from, size)).split('\n').slice(from > 0 ? 1 : 0)
  const last = all.at(-1) === '' ? all.slice(0, -1) : all
  const shown = lines === 0 ? [] : last.slice(-lines)
  if (shown.length > 0) output.write(`${safe(shown.join('\n'))}\n`)
  return size
}

const maxShownBytes = 16 * 1024 * 1024

/** A new csp may have put a new file in the place of a large one. */
async function follow(path: string, from: number, output: Stream, stopped: AbortSignal): Promise<void> {
  let at = from
  while (!stopped.aborted) {
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    )
    if (size < at) at = 0
    if (size > at) {
      output.write(safe(await read(path, at, size)))
      at = size
    }
    await Promise.race([Bun.sleep(200), whenAborted(stopped)])
  }
}

async function read(path: string, from: number, to: number): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from)
    return buffer.subarray(0, bytesRead).toString()
  } finally {
    await file.close()
  }
}
