import { mock } from 'bun:test'

// Loaded before the unit tests: one that starts a process fails. Mark its file with `// Starts processes`.
const refuse = (command: unknown): never => {
  throw new Error(`A unit test starts no process, as this one does: ${JSON.stringify(command)}`)
}

Object.assign(Bun, { spawn: refuse, spawnSync: refuse })
const names = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']
mock.module('node:child_process', () => Object.fromEntries(names.map((name) => [name, refuse])))
