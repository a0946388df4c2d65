import { dirname } from 'node:path'
import type { ReaderProcess } from '@csp/page-reader/extract/pool'
import { pageReaderArgument } from '../page-reader-argument.ts'
import { ownServerProgram } from '../shell/program.ts'

/**
 * Starts the process in which pages are read. Nothing of csp's environment or folder reaches it, a terminal's signals
 * do not either, and it ends with this process, however that ends.
 */
export function openPageReader({ command, args } = ownServerProgram(pageReaderArgument)): ReaderProcess {
  const reader: ReaderProcess = {
    onReply: undefined,
    onEnd: undefined,
    send: (extraction) => void child.send(extraction),
    end: () => child.kill('SIGKILL'),
  }
  const child = Bun.spawn([command, ...args], {
    env: Object.fromEntries(harmless.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    cwd: dirname(process.execPath),
    // Nothing is ever written: the reader notices when this end closes.
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
    detached: true,
    windowsHide: true,
    serialization: 'advanced',
    ipc: (reply) => reader.onReply?.(reply),
    onExit: (_, __, signal) => reader.onEnd?.(String(signal)),
  })
  // It keeps no process that has nothing else to do.
  child.unref()
  return reader
}

/** What Bun itself needs: the size of its heap, where it keeps what it has transpiled, and on Windows the system. */
const harmless = ['BUN_JSC_forceRAMSize', 'BUN_RUNTIME_TRANSPILER_CACHE_PATH', 'SystemRoot']
