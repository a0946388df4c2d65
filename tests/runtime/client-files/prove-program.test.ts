import { expect, test } from 'bun:test'
import { proveSearch } from '../../../src/runtime/client-files/prove-search.ts'

// How a client starts csp, and what it hears of a csp that does not start.

const environment = { HOME: '/home/me', PATH: '/my/own/bin', LOGNAME: 'me', CSP_EFFORT: 'deep' }

async function prove(script: string) {
  const program = { command: '/bin/sh', args: ['-c', script], env: { CSP_STATE_DIR: '/state' } }
  const own = { program, claudeBin: '/bin/claude', environment }
  return proveSearch({ title: 'Zed', request: { kind: 'program' } }, { url: 'http://a.example' }, '', own)
}

test('csp is started with few variables and a short PATH, and its complaint is told', async () => {
  const { ok, lines } = await prove('env | grep -E ^[CHLPA] | grep -v ^PWD= | LC_ALL=C sort >&2')
  expect(ok).toBe(false)
  expect(lines[0]?.split('\n')).toEqual([
    'Zed cannot start csp: CSP_CLAUDE_BIN=/bin/claude',
    ...['CSP_STATE_DIR=/state', 'HOME=/home/me', 'LOGNAME=me', 'PATH=/usr/local/bin:/usr/bin:/bin'],
  ])
})

test('a csp that ends without a word is told, too', async () => {
  expect((await prove('exit 1')).lines).toEqual([expect.stringMatching(/^Zed cannot start csp: .*closed/i)])
})

test('a csp that runs and says why it found nothing is quoted, and is not said to be unable to start', async () => {
  const hello = '"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"csp","version":"1"}'
  const result = '"isError":true,"content":[{"type":"text","text":"Claude is signed out."}]'
  const script = `while read -r line; do
    id=$(printf %s "$line" | sed -n 's/.*"id":\\([0-9]*\\).*/\\1/p')
    case "$line" in
      *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{${hello}}}' ;;
      *'"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{${result}}}' ;;
    esac
  done`
  expect(await prove(script)).toEqual({
    ok: false,
    lines: ['A search as Zed makes it failed: Claude is signed out.'],
  })
})
