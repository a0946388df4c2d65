import { expect, test } from 'bun:test'
import {
  leastVersion,
  provesClearing,
  tooOld,
  versionIn,
} from '../../../../../src/executor/backends/claude/cli/version.ts'

test('a version is older than the least one by its numbers', () => {
  const versions = [
    '0.2.999',
    '1.999.999',
    '2.0.999',
    '2.1.9',
    '2.1.99',
    '2.1.128',
    '2.1.129',
    '2.1.1000',
    '2.2.0',
    '10.0.0',
  ]
  expect(versions.filter((version) => tooOld(version) !== undefined)).toEqual(versions.slice(0, 6))
})

test('a version is found in what a CLI says of itself, released or not', () => {
  const said = ['2.1.328 (Claude Code)', '2.1.129-beta.3', 'claude v2.2.0+build7', '2.1', 'beta', '']
  expect(said.map(versionIn)).toEqual(['2.1.328', '2.1.129', '2.2.0', undefined, undefined, undefined])
})

test('a CLI says that it has cleared a session from 2.1.221 on, and one unknown version has to', () => {
  expect(['2.1.129', '2.1.220', '2.1.221', '2.1.1000', undefined].map(provesClearing)).toEqual([
    false,
    false,
    true,
    true,
    true,
  ])
})

test('README names the least version', async () => {
  expect(await Bun.file(new URL('../../../../../README.md', import.meta.url)).text()).toContain(leastVersion)
})
