#!/bin/sh
':' //; case "$(command -v node)" in ''|*/bun-node-*) command -v bun >/dev/null || { echo "csp needs node 20 or newer, and there is none on PATH. Get it from https://nodejs.org." >&2; exit 1; }; exec bun --no-env-file --config=/dev/null --tsconfig-override=/dev/null --no-install "$0" "$@";; esac; exec node "$0" "$@"
// A shell reads the lines above and picks a runtime; to node and Bun they are a string and a comment. Bun on its own
// would obey the `.env`, `bunfig.toml` and `tsconfig.json` of the folder it was called in (the last can redirect any import,
// csp itself included), so it never starts without these flags.
// `bunx` brings a folder `bun-node-…` whose `node` is Bun in disguise.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runBun } from './run-bun.mjs'

const fromHere = (path) => fileURLToPath(new URL(path, import.meta.url))
// The package has a bundle, a checkout its sources, whatever it has built.
const isCheckout = existsSync(fromHere('../tsconfig.json')) || !existsSync(fromHere('../dist/csp/entry.js'))
const entry = isCheckout ? '../src/runtime/entry.ts' : '../dist/csp/entry.js'

if (process.versions.bun) {
  await import(entry)
} else {
  const own = process.argv.slice(2)
  // Bun ends with this process, and what it has started with it: except for what has to outlive them, as a browser. What
  // the arguments mean is read by csp itself: here such a word may stand anywhere, and one too many does no harm. Without
  // any, on a terminal, it may be csp init.
  const mayLeaveMore = /^(?:init|start|restart|run|open|--open(?:=.*)?)$/
  const leavesMore = (own.length === 0 && process.stdout.isTTY) || own.some((argument) => mayLeaveMore.test(argument))
  const orphans = leavesMore ? [] : ['--no-orphans']
  // The package has no `tsconfig.json`, and Bun starts no thread where this file is missing: `package.json` sets nothing.
  const tsconfig = existsSync(fromHere('../tsconfig.json')) ? '../tsconfig.json' : '../package.json'
  const ownFiles = [`--config=${fromHere('../bunfig.toml')}`, `--tsconfig-override=${fromHere(tsconfig)}`]
  const flags = ['--no-env-file', ...ownFiles, '--no-install']
  // Bun sizes its heap by the memory of the machine, as if it had it alone. Told of 100 MB it collects sooner: measured
  // over 2,000 searches, csp stays at 85 MB where it went to 105, and is no slower.
  const smallHeap = { BUN_JSC_forceRAMSize: '100000000' }
  // npm installs programs beside its node, and the Claude CLI may be one of them.
  const ownNode = { CSP_NODE: process.execPath }
  // A signal to npx ends the shell between npx and csp, which passes nothing on.
  const runner = process.env.npm_command === 'exec' ? { CSP_RUNNER: String(process.ppid) } : {}
  // Bun keeps what it has transpiled: beside the cache of csp, where csp uninstall removes it, and not in ~/.bun.
  const caches = process.env.XDG_CACHE_HOME || (process.env.HOME && `${process.env.HOME}/.cache`)
  const ownCache = caches ? { BUN_RUNTIME_TRANSPILER_CACHE_PATH: `${caches}/csp-runtime` } : {}
  runBun([...flags, fromHere(entry), ...own], { ...smallHeap, ...ownNode, ...runner, ...ownCache }, orphans)
}
