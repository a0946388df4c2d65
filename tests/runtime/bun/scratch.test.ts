import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openScratch } from '../../../src/runtime/bun/scratch.ts'

let parent = ''
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'csp-test-'))
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

test('a scratch folder belongs to its owner alone and is gone when removed', () => {
  const scratch = openScratch(parent)
  const folder = scratch.folder('work')
  writeFileSync(join(folder, 'x'), '')
  expect(statSync(join(folder, '..')).mode & 0o077).toBe(0)
  scratch.remove()
  expect(readdirSync(parent)).toEqual([])
})

test('the scratch folder of a killed process is removed, and that of a running process is kept', async () => {
  const dead = Bun.spawn([process.execPath, '-e', '0'])
  await dead.exited
  const left = join(parent, `csp-scratch-${dead.pid}-abc`)
  const kept = [join(parent, `csp-scratch-${process.ppid}-abc`), join(parent, 'csp-other')]
  for (const path of [left, ...kept]) mkdirSync(join(path, 'work'), { recursive: true })
  openScratch(parent).remove()
  expect(existsSync(left)).toBe(false)
  expect(kept.filter((path) => !existsSync(path))).toEqual([])
})
