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

const said = 'secret-query-of-a-caller'

/** Starts csp so that something of this kind goes wrong as soon as it listens. */
function startFaulty(fault: string, args: readonly string[]) {
  const preload = join(home.path, 'preload.ts')
  const scratch = join(home.path, 'scratch')
  mkdirSync(scratch, { recursive: true })
  writeFileSync(
    preload,
    `const write = process.stderr.write.bind(process.stderr)
    const fail = () => { throw Object.assign(new TypeError('${said}\\n at once ${said}:1'), { code: 'EODD' }) }
    let failed = false
    process.stderr.write = (text, ...rest) => {
      if (!failed && String(text).includes('listening')) { failed = true; ${fault} }
      return write(text, ...rest)
    }`,
  )
  const child = Bun.spawn([process.execPath, '--preload', preload, entry, ...args], {
    env: { HOME: home.path, TMPDIR: scratch },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  return { child, scratch }
}

const serves = ['serve', '--port', '0', '--sandbox']

test('an uncaught exception ends the server with 1 and removes its scratch folder', async () => {
  const { child, scratch } = startFaulty('setTimeout(fail)', serves)
  const log = await textOf(child.stderr)
  expect(await child.exited).toBe(1)
  expect(log).toMatch(/^csp has crashed: TypeError EODD at .*preload\.ts:2:\d+/m)
  expect(log).not.toContain(said)
  expect(readdirSync(scratch)).toEqual([])
})

test('an unhandled rejection is reported, and the server keeps running', async () => {
  const { child } = startFaulty('setTimeout(async () => fail())', serves)
  const decoder = new TextDecoder()
  let log = ''
  for await (const bytes of child.stderr) {
    log += decoder.decode(bytes, { stream: true })
    if (/goes on after an error: .*\n/.test(log) && /listening on \S+/.test(log)) break
  }
  const url = /http:\/\/[\d.:]+/.exec(log)?.[0]
  expect((await fetch(`${url}/v1/models`)).status).toBe(200)
  expect(log).toMatch(/^csp goes on after an error: TypeError EODD at .*preload\.ts:2:\d+/m)
  expect(log).not.toContain(said)
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
})

test('a reader that closes the output early causes no error', async () => {
  const child = Bun.spawn([process.execPath, entry, '--help'], { env: {}, stdout: 'pipe', stderr: 'pipe' })
  await child.stdout.cancel()
  expect(await textOf(child.stderr)).toBe('')
  expect(await child.exited).toBe(0)
})
