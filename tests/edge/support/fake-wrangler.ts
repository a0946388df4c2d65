import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One call of the fake, as it came. */
export interface WranglerCall {
  readonly args: readonly string[]
  readonly input: string
}

export interface FakeWrangler {
  /** A folder for PATH. */
  readonly folder: string
  calls(): readonly WranglerCall[]
  /** Makes every call that begins with these words fail, saying so. */
  breakAt(words: string): void
  mend(): void
}

/**
 * A program called `wrangler`, with a Cloudflare of its own in files: it knows who is signed in, which namespaces and
 * which secrets there are, and writes down each call. It is called a hundred times, so it is a script of `sh`.
 */
export function fakeWrangler(folder: string, { signedIn = true, version = '4.164.0' } = {}): FakeWrangler {
  mkdirSync(folder, { recursive: true })
  const calls = join(folder, 'calls')
  const broken = join(folder, 'broken')
  if (signedIn) writeFileSync(join(folder, 'signed-in'), '')
  const program = join(folder, 'wrangler')
  writeFileSync(program, code(folder, version))
  chmodSync(program, 0o755)
  return {
    folder,
    calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').split('\x1d').slice(0, -1).map(readCall) : []),
    breakAt: (words) => writeFileSync(broken, words),
    mend: () => writeFileSync(broken, ''),
  }
}

function readCall(text: string): WranglerCall {
  const [args = '', input = ''] = text.split('\x1e')
  return { args: args.split('\x1f').slice(0, -1), input }
}

function code(folder: string, version: string): string {
  return `#!/bin/sh
PATH=/usr/bin:/bin
cd '${folder}'
line="$*"
input=''
case "$line" in 'secret bulk'*) input=$(cat) ;; esac
{ printf '%s\\037' "$@"; printf '\\036%s\\035' "$input"; } >>calls
if [ -s broken ]; then
  broken=$(cat broken)
  case "$line" in "$broken"*) echo "The fake fails at $broken" >&2; exit 1 ;; esac
fi
# Each entry of a list stands behind a comma.
list() { entries=$(cat "$1" 2>/dev/null); echo "[\${entries#,}]"; }
case "$line" in
  --version*) echo '${version}' ;;
  whoami*)
    [ -e signed-in ] || { echo '{"loggedIn":false}'; exit 1; }
    echo '{"loggedIn":true,"email":"a@example.org"}' ;;
  login*) : >signed-in ;;
  'kv namespace list'*) list namespaces ;;
  'kv namespace create'*) printf ',{"id":"0123456789abcdef0123456789abcdef","title":"%s"}' "$4" >>namespaces ;;
  deploy*)
    [ -z "$WRANGLER_OUTPUT_FILE_PATH" ] ||
      echo '{"type":"deploy","targets":["https://csp-edge.me.workers.dev"]}' >>"$WRANGLER_OUTPUT_FILE_PATH"
    echo 'Total Upload: 1 KiB / gzip: 0.50 KiB' ;;
  'secret list'*) list secrets ;;
  'secret bulk'*)
    for name in $(echo "$input" | grep -oE '"CSP_[A-Z_]+":' | tr -d '":'); do
      grep -q ":\\"$name\\"" secrets 2>/dev/null || printf ',{"name":"%s","type":"secret_text"}' "$name" >>secrets
    done ;;
  *) exit 2 ;;
esac
`
}
