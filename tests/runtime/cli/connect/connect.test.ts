import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../../../src/runtime/cli/connect/connect.ts'
import { runCommand } from '../../../../src/runtime/cli/run-command.ts'
import { refuseHome } from '../../../../src/tunnel/edge/admission.ts'
import { connectPath } from '../../../../src/tunnel/protocol.ts'
import { testShell } from '../../test-shell.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-connect-here-'))
const seen: string[] = []
const edge = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    seen.push(new URL(request.url).pathname)
    return refuseHome({ code: 'login', message: 'Wrong secret.' })
  },
})
const url = `http://127.0.0.1:${edge.port}`
afterAll(async () => {
  await edge.stop(true)
  rmSync(home, { recursive: true })
})

function connecting(to: string, isTerminal = false) {
  const environment = {
    ...{ HOME: home, PATH: '', CSP_BACKENDS: 'searxng', CSP_SEARXNG_URL: 'http://127.0.0.1:9', CSP_PAGES: 'off' },
    CSP_CONNECT_SECRET: 'a-secret-of-sixteen-or-more',
  }
  const shell = testShell({ environment, directory: home, isTerminal })
  return { shell, ended: runCommand(connect, [to], shell) }
}

test('csp connect ends where its first logins are refused, and says why in the log, or on a terminal there', async () => {
  // A process has one log, that of the last.
  const [shown, piped] = [connecting(url, true), connecting(url)]
  expect(await Promise.all([piped.ended, shown.ended])).toEqual([1, 1])
  expect([piped.shell.complaints(), piped.shell.printed()]).toEqual([expect.stringContaining('Wrong secret.'), ''])
  expect(shown.shell.printed()).toContain('Wrong secret.')
  expect(shown.shell.complaints()).not.toContain('Wrong secret.')
  expect(new Set(seen)).toEqual(new Set([connectPath]))
})

test('csp connect tries again where nothing answers, until a stop signal', async () => {
  const { shell, ended } = connecting('http://127.0.0.1:9')
  await shell.says('127.0.0.1:9')
  shell.send('SIGTERM')
  expect(await ended).toBe(0)
  expect(shell.complaints()).toContain('stopping on SIGTERM')
})
