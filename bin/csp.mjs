#!/bin/sh
':' /* # To node and Bun this is a string and a comment, up to the first star with a slash behind it. A shell reads it, and starts the Bun of the package in its own place: node would take longer to start than csp. Where anything is not as usual, node looks.
[ -z "$ZSH_VERSION" ] || emulate sh
case $0 in *'/'?*) file=$0 ;; *) exec node "$0" "$@" ;; esac
# npm links to this file, and not every system has readlink -f.
while [ -L "$file" ] && link=$(PATH=/usr/bin:/bin${PATH:+:$PATH} readlink "$file" 2>/dev/null); do
  case $link in /*) file=$link ;; *) file=${file%/[!/]*}/$link ;; esac
done
root=$(CDPATH='' cd -- "${file%/[!/]*}/.." 2>/dev/null && pwd -P)

# Of csp's own node_modules, or of those that csp lies in.
package=$root/node_modules/bun
[ -d "$package" ] || case $root in *'/node_modules/'*) package=${root%/[!/]*}/bun ;; esac
bun=
for each in "$package/bin/bun.exe" "$package"/../@oven/bun-*'/bin/bun'; do
  [ -f "$each" ] && [ -x "$each" ] && IFS= read -r begin <"$each" || continue
  case $begin in
    # On Linux, of the kind of machine that this shell is of, or a shell would take it for a script.
    ?ELF?????*) [ -r /proc/self/exe ] && IFS= read -r own </proc/self/exe || continue
      begin=${begin#?ELF????} own=${own#?ELF????}
      [ "${begin%"${begin#?}"}" = "${own%"${own#?}"}" ] || continue ;;
    # npm that runs no scripts leaves a text in its place.
    *[Ee]rror*|'#!'*) continue ;;
    *) [ ! -e /proc/self/exe ] || continue ;;
  esac
  # Which of two is for this C library, node finds out.
  [ -z "$bun" ] || { bun=; break; }
  bun=$each
  [ "$each" != "$package/bin/bun.exe" ] || break
done

# bunx brings a folder bun-node-… whose node is Bun in disguise.
node=$(command -v node)
case $node in *'/bun-node-'*) node= ;; /*) ;; *) [ -n "$bun" ] && node= ;; esac
[ -n "$node" ] || case $0 in /*) [ -x "${0%/[!/]*}/node" ] && node=${0%/[!/]*}/node ;; esac
entry=$root/dist/csp/entry.js
[ -f "$entry" ] && [ ! -f "$root/tsconfig.json" ] || entry=$root/src/runtime/entry.ts

if [ -z "$bun" ] || [ ! -f "$entry" ]; then
  [ -z "$node" ] || exec "$node" "$0" "$@"
  command -v bun >/dev/null || { echo 'csp needs node 20 or newer, and there is none on PATH. Get it from https://nodejs.org.' >&2; exit 1; }
  exec bun --no-env-file --config=/dev/null --tsconfig-override=/dev/null --no-install "$0" "$@"
fi

# What follows is below once more, for node, with the reasons.
read -r heap <"$root/bin/heap-size"
export BUN_JSC_forceRAMSize="${BUN_JSC_forceRAMSize=$heap}"
[ -z "$node" ] || export CSP_NODE="${CSP_NODE=$node}"
[ "$npm_command" != exec ] || export CSP_RUNNER="${CSP_RUNNER=$PPID}"
caches=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
[ -z "$caches" ] || export BUN_RUNTIME_TRANSPILER_CACHE_PATH="${BUN_RUNTIME_TRANSPILER_CACHE_PATH=$caches/csp-runtime}"
tsconfig=$root/tsconfig.json
[ -f "$tsconfig" ] || tsconfig=$root/package.json
# It may not start, as on another C library: then node says so.
[ -z "$node" ] || if [ -n "$BASH_VERSION" ]; then shopt -s execfail; else trap 'exec "$node" "$0" "$@"' EXIT; fi
exec "$bun" --no-env-file "--config=$root/bunfig.toml" "--tsconfig-override=$tsconfig" --no-install "$entry" "$@"
exec "$node" "$0" "$@"
*/
// Bun on its own would obey the `.env`, `bunfig.toml` and `tsconfig.json` of the folder it was called in (the last can
// redirect any import, csp itself included), so it never starts without these flags.
import { existsSync, readFileSync } from 'node:fs'
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
  // Bun sizes its heap by the memory of the machine, as if it had it alone. Told of 250 MB it collects sooner: after 2,000
  // searches csp has 177 MB, and 201 without. Told of 100 MB it has 165, but takes a third more for a cached reply or page.
  const smallHeap = { BUN_JSC_forceRAMSize: readFileSync(fromHere('./heap-size'), 'utf8').trim() }
  // npm installs programs beside its node, and the Claude CLI may be one of them.
  const ownNode = { CSP_NODE: process.execPath }
  // A signal to npx ends the shell between npx and csp, which passes nothing on.
  const runner = process.env.npm_command === 'exec' ? { CSP_RUNNER: String(process.ppid) } : {}
  // Bun keeps what it has transpiled: beside the cache of csp, where csp uninstall removes it, and not in ~/.bun.
  const caches = process.env.XDG_CACHE_HOME || (process.env.HOME && `${process.env.HOME}/.cache`)
  const ownCache = caches ? { BUN_RUNTIME_TRANSPILER_CACHE_PATH: `${caches}/csp-runtime` } : {}
  runBun([...flags, fromHere(entry), ...own], { ...smallHeap, ...ownNode, ...runner, ...ownCache }, orphans)
}
