// Starts processes.
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { probe } from '../../../../../src/executor/backends/claude/cli/probe.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-probe-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** What a CLI is found to be that says this of its login. */
async function probed(login: string) {
  const binary = join(scratch, 'claude')
  const script = `#!/bin/sh
case "$*" in
*status*) echo '${login}' ;;
*version*) echo '2.1.328 (Claude Code)' ;;
esac
`
  writeFileSync(binary, script, { mode: 0o755 })
  return probe({
    ...{ binary, environment: { HOME: scratch, PATH: '/usr/bin:/bin' }, workingDirectory: scratch },
    ...{ auth: 'subscription', offersSearch: async () => true },
  })
}

test.each([
  ['{"loggedIn":true,"authMethod":"claude.ai","subscriptionType":"max"}', true, 'claude.ai', 'max'],
  ['{"loggedIn":true,"authMethod":null}', true, undefined, undefined],
  ['{"loggedIn":true,"authMethod":{"kind":"new"},"subscriptionType":["max"]}', true, undefined, undefined],
  ['{"loggedIn":false,"authMethod":"none"}', false, 'none', undefined],
  ['{"loggedIn":"yes"}', undefined, undefined, undefined],
  ['Signed in.', undefined, undefined, undefined],
])(
  'a login is read from %s, whatever else a newer CLI says of it',
  async (login, signedIn, authMethod, subscription) => {
    const found = await probed(login)
    expect([found.signedIn, found.authMethod, found.subscription]).toEqual([signedIn, authMethod, subscription])
  },
)
