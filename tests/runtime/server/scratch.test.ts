import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { leftWorkFolder, openScratch, workFolder } from '../../../src/runtime/server/scratch.ts'

import { testNeeding } from '../../support/needs.ts'

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

test('a scratch folder is removed with its process until it is removed, which may be done twice', () => {
  const before = process.listenerCount('exit')
  const scratch = openScratch(parent)
  expect(process.listenerCount('exit')).toBe(before + 1)
  expect(scratch.folder('work')).toBe(scratch.folder('work'))
  for (let times = 0; times < 2; times++) scratch.remove()
  expect(process.listenerCount('exit')).toBe(before)
})

const own = () => join(parent, `csp-${process.getuid?.()}`)
const isRoot = process.getuid?.() === 0

testNeeding('root', isRoot)('what another user has left or put there is left alone', () => {
  const left = join(parent, 'csp-scratch-999999999-abcdef')
  mkdirSync(join(own(), 'work'), { recursive: true })
  mkdirSync(left)
  for (const path of [left, join(own(), 'work')]) chownSync(path, 65_534, 65_534)
  const scratch = openScratch(parent)
  expect(existsSync(left)).toBe(true)
  expect(workFolder(scratch, parent)).toContain('csp-scratch-')
  chownSync(own(), 65_534, 65_534)
  expect(workFolder(scratch, parent)).toContain('csp-scratch-')
  expect(leftWorkFolder(parent)).toBeUndefined()
  scratch.remove()
})

test('the folder of the CLI can be removed where it is empty, with what it stands in', () => {
  expect(leftWorkFolder(parent)).toBeUndefined()
  for (const hasWork of [false, true]) {
    mkdirSync(hasWork ? join(own(), 'work') : own(), { recursive: true })
    const left = leftWorkFolder(parent)
    expect(left?.path).toBe(own())
    left?.remove()
    expect(existsSync(own())).toBe(false)
  }
  for (const files of [['work/x'], ['other'], ['work/', 'x']]) {
    mkdirSync(join(own(), 'work'), { recursive: true })
    if (files[0] === 'other') rmSync(join(own(), 'work'), { recursive: true })
    for (const file of files) if (!file.endsWith('/')) writeFileSync(join(own(), file), '')
    expect(leftWorkFolder(parent)).toBeUndefined()
    rmSync(own(), { recursive: true })
  }
})
