import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ScratchHome, scratchHome } from '../support/real-claude.ts'

const entry = join(import.meta.dir, '..', '..', 'src', 'runtime', 'entry.ts')

let home: ScratchHome
beforeAll(async () => {
  home = await scratchHome()
})
afterAll(() => home[Symbol.asyncDispose]())

const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).text()

test('a promise that nobody caught ends the server with 1, and its scratch folder goes', async () => {
  const preload = join(home.path, 'preload.ts')
  const scratch = join(home.path, 'scratch')
  mkdirSync(scratch)
  writeFileSync(
    preload,
    `const write = process.stderr.write.bind(process.stderr)
    process.stderr.write = (text, ...rest) => {
      if (String(text).includes('listening')) Promise.reject(new Error('nobody caught this'))
      return write(text, ...rest)
    }`,
  )
  const child = Bun.spawn([process.execPath, '--preload', preload, entry, 'serve', '--port', '0', '--sandbox'], {
    env: { HOME: home.path, TMPDIR: scratch },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const log = await textOf(child.stderr)
  expect(await child.exited).toBe(1)
  expect(log).toContain('csp has crashed. Error: nobody caught this')
  expect(readdirSync(scratch)).toEqual([])
})

test('a reader that leaves early is no fault', async () => {
  const child = Bun.spawn([process.execPath, entry, '--help'], { env: {}, stdout: 'pipe', stderr: 'pipe' })
  await child.stdout.cancel()
  expect(await textOf(child.stderr)).toBe('')
  expect(await child.exited).toBe(0)
})
