import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isAbsolute } from 'node:path'
import { findBun } from './find-bun.mjs'

/**
 * Runs Bun in this process's place. `variables` are added to the environment where it does not have them. Where node can
 * hand its process over, none of it stays; otherwise node waits: same terminal, signals passed on, and the end of Bun
 * becomes its own. `whenSpawned` are flags for Bun in that case alone.
 */
export function runBun(args, variables = {}, whenSpawned = []) {
  const bun = findBun()
  const env = { ...variables, ...process.env }
  // Node ends with a core dump where the program is not there.
  if (process.execve && process.platform !== 'win32' && isAbsolute(bun)) {
    try {
      process.execve(bun, [bun, ...args], env)
    } catch {
      // Not allowed by node's own flags.
    }
  }
  const child = spawn(bun, [...whenSpawned, ...args], { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`csp runs on Bun, which could not be started (${error.message}).`)
    console.error('Reinstall with `npm install`, or get Bun with `npm install -g bun` or from https://bun.sh.')
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    // Bun had no time for a last word.
    if (signal)
      console.error(`csp was ended by ${signal}${signal === 'SIGKILL' ? ', perhaps for want of memory' : ''}.`)
    process.exit(code ?? 128 + (constants.signals[signal] ?? 0))
  })
}
