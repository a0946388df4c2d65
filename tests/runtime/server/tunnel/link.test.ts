import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { linkSettings } from '../../../../src/runtime/server/tunnel/link.ts'
import { testNeeding } from '../../../support/needs.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-link-'))
afterAll(() => rmSync(home, { recursive: true }))

function settingsWith(secret: string) {
  const environment = { HOME: home, CSP_CONNECT_URL: 'https://edge.example', CSP_CONNECT_SECRET: secret }
  return linkSettings(loadConfig({}, environment, home).config, { directory: home, environment })
}

test('the secret of the edge may stand in a file of the current folder', () => {
  writeFileSync(join(home, 'secret'), `${'s'.repeat(64)}\n`)
  expect(settingsWith('@secret').secret).toBe('s'.repeat(64))
  writeFileSync(join(home, 'secret'), 'short')
  expect(() => settingsWith('@secret')).toThrow('characters or more')
  expect(() => settingsWith('@nothing')).toThrow('Cannot read nothing')
})

test('the edge is told how many searches run here and how many may wait', () => {
  const environment = {
    CSP_CONNECT_URL: 'https://edge.example',
    CSP_CONNECT_SECRET: 's'.repeat(64),
    CSP_CONCURRENCY: '7',
  }
  const { config } = loadConfig({}, { HOME: home, ...environment }, home)
  expect(linkSettings(config, { directory: home, environment })).toMatchObject({ workers: 7, capacity: 7 + 10 + 100 })
})

const mayPipe = process.platform !== 'win32' && Bun.which('mkfifo') !== null
testNeeding('mkfifo', mayPipe)('a pipe in the place of the secret is refused, and not waited for', () => {
  Bun.spawnSync(['mkfifo', join(home, 'pipe')])
  expect(() => settingsWith('@pipe')).toThrow('Cannot read pipe')
})
