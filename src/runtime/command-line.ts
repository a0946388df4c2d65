import { delimiter, isAbsolute } from 'node:path'
import { maxTimerMs, withTimeout } from '@csp/lib/abort'
import { crashReport, errorCode } from '@csp/lib/errors'
import { main } from './cli/main.ts'
import { currentFolder } from './shell/program.ts'
import { processShell } from './shell/shell.ts'

/** Whether it serves others until it is stopped. */
let runsOn = false

// A log that cannot be written, as on a full disk, must not end a server; there is nowhere to say so.
process.stderr.on('error', () => {})
let unwritten: string | undefined
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // The reader may leave early, as `head` does: that is no error.
  if (code !== 'EPIPE') unwritten ??= message
})

// What could not be opened has failed, and nothing else: files are there again in a moment.
process.on('uncaughtException', (error: unknown) => report(error, /^E[MN]FILE$/.test(String(errorCode(error)))))
// One unhandled rejection must not end the searches of others.
process.on('unhandledRejection', (error: unknown) => report(error, true))

if (currentFolder() === undefined) {
  process.stderr.write('The current folder does not exist any more: call csp in another one.\n')
  process.exit(2)
}
endWithRunner()
keepAbsolutePath()

const shell = processShell()
let tellOfUpdate = () => {}
const code = await main(process.argv.slice(2), shell, async ({ task, command, row }) => {
  if (task !== 'run') return
  runsOn = row?.isServer === true
  if (!process.stderr.isTTY) return
  const { startUpdateCheck } = await import('./update-check.ts')
  const update = startUpdateCheck(command, shell)
  tellOfUpdate = () => process.stderr.write(update?.note() ?? '')
  // The note of a server comes as soon as it is known.
  if (runsOn) void update?.done.then(tellOfUpdate)
})
if (!runsOn) tellOfUpdate()
await written(process.stdout)
// What could not be written is told a tick later.
await new Promise((resolve) => setImmediate(resolve))
if (unwritten) process.stderr.write(`The output could not be written: ${unwritten}\n`)
await written(process.stderr)
process.exit(unwritten ? 1 : code)

/**
 * Waits until its reader has all of it, or nothing more can be written. A server does not wait long for one that has
 * stopped reading its log.
 */
async function written(stream: NodeJS.WriteStream): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    // A stream that has failed does not call back.
    if (stream.destroyed || stream.errored) return resolve()
    for (const event of ['error', 'close']) stream.once(event, () => resolve())
    stream.end(() => resolve())
  })
  await withTimeout(ended, runsOn ? 1000 : maxTimerMs)
}

/** Ends csp, but for a server that may go on. */
function report(error: unknown, mayGoOn: boolean): void {
  const goesOn = mayGoOn && runsOn
  process.stderr.write(`csp ${goesOn ? 'goes on after an error' : 'has crashed'}: ${crashReport(error)}\n`)
  // Children and scratch folders are removed by the listeners of `exit`.
  if (!goesOn) process.exit(1)
}

/** A relative entry of PATH would have csp run a program of the folder that it is called in. */
function keepAbsolutePath(): void {
  const folders = process.env['PATH']?.split(delimiter).filter(isAbsolute) ?? []
  // An empty PATH means the current folder.
  if (folders.length > 0) process.env['PATH'] = folders.join(delimiter)
  else delete process.env['PATH']
}

/** Under npx, csp stops as by SIGTERM when the shell that npx has started for it is gone. */
function endWithRunner(): void {
  const runner = Number(process.env['CSP_RUNNER'])
  // What csp starts has no part in it.
  delete process.env['CSP_RUNNER']
  if (!Number.isInteger(runner) || runner <= 1) return
  const timer = setInterval(() => {
    try {
      process.kill(runner, 0)
    } catch {
      clearInterval(timer)
      process.kill(process.pid, 'SIGTERM')
    }
  }, 500)
  timer.unref()
}
