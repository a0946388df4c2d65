import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { checkService } from '../../../../src/runtime/cli/doctor/check-service.ts'
import { testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-check-service-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** The finding for a service with this definition; `HERE` is a folder with the programs node and csp.mjs. */
function check(definition: string | undefined, installs = true) {
  const home = mkdtempSync(join(scratch, 'home-'))
  const file = join(home, '.config/systemd/user/csp.service')
  for (const name of ['node', 'csp.mjs']) writeFileSync(join(home, name), '')
  if (definition !== undefined) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, definition.replaceAll('HERE', home))
  }
  const asked: (readonly string[])[] = []
  const shell = testShell({ environment: { HOME: home }, directory: home })
  const finding = checkService({ shell }, async (flags) => {
    asked.push(flags)
    return installs
  })
  return { finding, asked, file, home }
}

describe.if(process.platform === 'linux')('doctor on a service', () => {
  test('says nothing where there is none, and names one whose programs are there', () => {
    expect(check(undefined).finding).toBeUndefined()
    const { finding, file } = check(
      '[Service]\nExecStart=HERE/node "HERE/csp.mjs" serve\nEnvironment=PATH=/gone/bin:/gone\n',
    )
    expect(finding).toEqual({ status: 'ok', check: 'service', message: file })
  })

  test('names what is gone, and installs it again with its flags', async () => {
    const { finding, asked } = check(
      '[Service]\nExecStart=HERE/node "/gone for good/csp.mjs" serve --port=1  --host=::1\nEnvironment=CSP_CLAUDE_BIN=/gone/my-claude\n',
    )
    expect(finding).toMatchObject({
      ...{ status: 'fail', check: 'service' },
      message: expect.stringMatching(/csp\.service .*: \/gone for good\/csp\.mjs \/gone\/my-claude$/),
      remedy: expect.stringContaining('csp start --at-login --port=1 --host=::1 '),
      mend: { what: expect.stringContaining('csp start --at-login --port=1 --host=::1') },
    })
    expect(await finding?.mend?.run()).toBe(true)
    expect(asked).toEqual([['--port=1', '--host=::1']])
    expect(await check('ExecStart=/gone/node serve\n', false).finding?.mend?.run()).toBe(false)
  })

  test('without flags installs it without any, and with odd ones leaves it to a person', () => {
    const remedy = expect.stringMatching(/^csp start --at-login [^-]*$/)
    const mend = { what: expect.stringMatching(/^csp start --at-login[^-]*$/) }
    expect(check('ExecStart=/gone/node serve\n').finding).toMatchObject({ remedy, mend })
    for (const odd of ['--model="a b"', 'word', '--model=%h']) {
      const { finding } = check(`ExecStart=/gone/node serve --port=1 ${odd}\n`)
      expect([finding?.remedy, finding?.mend]).toEqual([remedy, undefined])
    }
    // Not how csp writes it.
    expect(check('ExecStart=/gone/node run\n').finding?.mend).toBeUndefined()
  })

  test('reads the list of words that launchd has', () => {
    const words = ['/gone/bun', '/HERE/csp.mjs', 'serve', '--port=1', '--model=opus']
    const list = words.map((word) => `<string>${word}</string>`).join('\n')
    const { finding } = check(
      `<array>\n${list}\n</array><key>CSP_CLAUDE_BIN</key><string>/gone/c</string>\n<array><string>x</string></array>`,
    )
    expect(finding?.message).toEndWith(': /gone/bun /gone/c')
    expect(finding?.remedy).toStartWith('csp start --at-login --port=1 --model=opus ')
  })
})
