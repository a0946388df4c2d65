import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openScratch, workFolder } from '../../../src/runtime/server/scratch.ts'

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

test('a folder for temporary files that is not there is named, with what to do', () => {
  const missing = join(parent, 'missing')
  expect(() => openScratch(missing)).toThrow(
    `The folder for temporary files, ${missing}, cannot be used (ENOENT). TMPDIR names another one.`,
  )
})

test('the scratch folder of a killed process is removed, and that of a running process is kept', async () => {
  const dead = Bun.spawn([process.execPath, '-e', '0'])
  await dead.exited
  const left = join(parent, `csp-scratch-${dead.pid}-abcdef`)
  const kept = [join(parent, `csp-scratch-${process.ppid}-abcdef`), join(parent, 'csp-other')]
  for (const path of [left, ...kept]) mkdirSync(join(path, 'work'), { recursive: true })
  openScratch(parent).remove()
  expect(existsSync(left)).toBe(false)
  expect(kept.filter((path) => !existsSync(path))).toEqual([])
})

test('the folder of the CLI is empty, belongs to its owner alone, and stays the same from start to start', () => {
  const folders = [1, 2].map(() => {
    const scratch = openScratch(parent)
    const folder = workFolder(scratch, parent)
    scratch.remove()
    return folder
  })
  const [first = '', second] = folders
  expect(second).toBe(first)
  expect(readdirSync(first)).toEqual([])
  expect(statSync(join(first, '..')).mode & 0o077).toBe(0)
})

test('where something else has the name of that folder, the CLI runs in a scratch folder', () => {
  for (const take of [(path: string) => symlinkSync(parent, path), (path: string) => writeFileSync(path, '')]) {
    const name = join(parent, `csp-${process.getuid?.()}`)
    take(name)
    const scratch = openScratch(parent)
    expect(workFolder(scratch, parent)).toContain('csp-scratch-')
    scratch.remove()
    rmSync(name)
  }
})
