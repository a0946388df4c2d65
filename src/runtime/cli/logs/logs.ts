import { existsSync } from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { whenAborted } from '@csp/lib/abort'
import { logFile, olderLog } from '../../background/log-file.ts'
import { type RunningServerRecord, serversHere } from '../../background/running-servers.ts'
import { createCommandRunner } from '../../background/service/command-runner.ts'
import { ownServiceManager } from '../../background/service/own-manager.ts'
import { unitName } from '../../background/service/systemd.ts'
import { csp } from '../../shell/program.ts'
import { type Environment, interruption, type Shell, type Stream } from '../../shell/shell.ts'
import { safe } from '../../shell/terminal.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions, wholeNumber } from '../command.ts'

const definitions = {
  lines: { short: 'n', hint: 'N', help: 'Number of lines, from the end (50)', parse: wholeNumber(0, 1_000_000) },
  follow: { short: 'f', help: 'Follow the log until Ctrl-C' },
} satisfies OptionDefinitions

/** `csp logs`: what the csp in the background has logged. */
export const logs = defineCommand({
  name: 'logs',
  usage: '[FLAGS]',
  details: 'A systemd service logs to the journal instead; read it with journalctl --user -u csp.',
  examples: [`${csp} logs`, `${csp} logs -f`, `${csp} logs -n 500`],
  options: definitions,
  arguments: { minimum: 0, maximum: 0 },
  mendsConfig: true,
  run: runLogs,
})

async function runLogs({ shell, loaded, options }: Invocation<typeof definitions>): Promise<number> {
  const { stateDir } = loaded.config
  const path = logFile(stateDir)
  const [server] = (await serversHere(loaded)).chosen
  if (logsToJournal(server, shell.environment)) return showJournal(shell, options)
  if (!existsSync(path)) {
    const none = `There is no log at ${path}: ${csp} start writes one.\n`
    shell.errors.write(none)
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

/** True if the csp in question is a systemd service, which may have failed to start. */
function logsToJournal(server: RunningServerRecord | undefined, environment: Environment): boolean {
  if (server) return server.manager === 'systemd'
  const manager = ownServiceManager(environment)
  return manager?.name === 'systemd' && existsSync(manager.file)
}

async function showJournal(
  shell: Shell,
  { lines, follow }: Invocation<typeof definitions>['options'],
): Promise<number> {
  const args = ['--user', '-u', unitName, '-n', String(lines ?? 50), '--no-pager', ...(follow ? ['-f'] : [])]
  const stop = interruption(shell)
  try {
    const write = (text: string) => shell.output.write(safe(text))
    const { code, said } = await createCommandRunner(shell.environment)('journalctl', args, {
      write,
      stopped: stop.first,
    })
    if (said) shell.errors.write(`${said}\n`)
    return code === 0 || stop.first.aborted ? exitCodes.done : exitCodes.failed
  } finally {
    stop.end()
  }
}

/** Writes the last lines, and resolves to where they end. */
async function showLast(path: string, lines: number, output: Stream): Promise<number> {
  await using file = await open(path)
  const { size } = await file.stat()
  // One byte more, which shows whether a line begins behind it.
  const from = Math.max(0, size - maxShownBytes - 1)
  const all = linesOf(await read(file, from, size)).slice(from > 0 ? 1 : 0)
  const older = all.length < lines && existsSync(olderLog(path)) ? linesOf(await readFile(olderLog(path), 'utf8')) : []
  const shown = lines === 0 ? [] : [...older, ...all].slice(-lines)
  if (shown.length > 0) output.write(`${safe(shown.join('\n'))}\n`)
  return size
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

const maxShownBytes = 16 * 1024 * 1024

async function follow(path: string, from: number, output: Stream, stopped: AbortSignal): Promise<void> {
  let at = from
  let inode: number | undefined
  while (!stopped.aborted) {
    const file = await open(path).catch(() => undefined)
    try {
      const { size, ino } = (await file?.stat()) ?? { size: 0 }
      if (size < at || (at > 0 && inode !== undefined && ino !== inode)) {
        // Its content is in the older log now, with the lines of the last moment.
        output.write(safe(await readRest(olderLog(path), at)))
        at = 0
      }
      inode = ino
      if (file && size > at) {
        output.write(safe(await read(file, at, size)))
        at = size
      }
    } finally {
      await file?.close()
    }
    await Promise.race([Bun.sleep(200), whenAborted(stopped)])
  }
}

async function readRest(path: string, from: number): Promise<string> {
  await using file = await open(path).catch(() => undefined)
  const { size } = (await file?.stat()) ?? { size: 0 }
  return file && size > from ? await read(file, from, size) : ''
}

/** An open file stays the same when csp moves it away, so its size is read there as well. */
async function read(file: FileHandle, from: number, to: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from)
  return buffer.subarray(0, bytesRead).toString()
}
