import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { settings } from '../../src/runtime/config/settings.ts'
import { testApp } from '../api/test-app.ts'
import { commands } from '../support/commands.ts'
import { pageRoutes, searchRoutes } from '../support/routes.ts'
import { scriptedExecutor } from '../support/scripted-executor.ts'

// There is no container engine here, so the files are held against csp, and against each other.

const root = join(import.meta.dir, '../..')
const containerfile = readFileSync(join(root, 'Containerfile'), 'utf8')
const compose = Object(Bun.YAML.parse(readFileSync(join(root, 'compose.yaml'), 'utf8')))
const { csp, 'open-webui': openWebui } = compose.services
const variables = new Set(settings.map(({ variable }) => variable))

test('the image has the CLI that the tests run, and a node that csp supports', () => {
  const [, version] = /^ARG CLAUDE_CODE_VERSION=(\S+)$/m.exec(containerfile) ?? []
  expect(version).toBe(manifest.dependencies['@anthropic-ai/claude-code'])
  const nodes = [...containerfile.matchAll(/^FROM node:(\d+)-slim/gm)].map(([, node]) => Number(node))
  expect(nodes.length).toBe(2)
  for (const node of nodes) expect(node).toBeGreaterThanOrEqual(20)
})

test('csp runs in the image as nobody special, with its state on a volume and on the port that is published', () => {
  expect(containerfile).toMatch(/^USER node$/m)
  const home = /^VOLUME (\S+)$/m.exec(containerfile)?.[1]
  expect(csp.volumes).toEqual([`csp:${home}`])
  const port = /\bCSP_PORT=(\d+)/.exec(containerfile)?.[1]
  expect(containerfile).toContain(`EXPOSE ${port}`)
  expect(csp.ports).toEqual([`127.0.0.1:${port}:${port}`])
  for (const name of Object.keys(compose.volumes)) expect(['csp', 'open-webui']).toContain(name)
})

test('what the image is built from is in the build context, and the command is one that csp knows', async () => {
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean)
  const needed = ['package.json', 'package-lock.json', 'bin', 'src', 'scripts', 'bunfig.toml', 'tsconfig.library.json']
  for (const name of [...needed, ...manifest.files]) {
    expect([name, existsSync(join(root, name))]).toEqual([name, true])
    expect(ignored).not.toContain(name)
  }
  // Whatever else could hold a secret of the machine that builds.
  for (const name of ['.git', '.env*', '.dev.vars*', 'node_modules']) expect(ignored).toContain(name)
  const json = (instruction: string) =>
    JSON.parse(new RegExp(`^${instruction} (\\[.*\\])$`, 'm').exec(containerfile)?.[1] ?? '[]')
  expect(json('ENTRYPOINT')).toEqual(Object.keys(manifest.bin).slice(0, 1))
  const [command, ...flags] = json('CMD')
  expect(flags).toEqual([])
  expect(commands.map(({ name }) => name)).toContain(command)
})

test('the health check of the image tells a csp that answers from none', async () => {
  const [, text = '[]'] = /^ {2}CMD (\[.*\])$/m.exec(containerfile) ?? []
  const [program, ...args] = JSON.parse(text)
  // As in the image: with keys, of which the check has none.
  const executor = scriptedExecutor([])
  const health = { ready: true, backends: [{ name: 'claude', ready: true, lastSearchFailed: true }] }
  const app = testApp({ ...executor, health: async () => health }, { keys: ['a-key-of-the-container'] })
  let isUp = true
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url, headers }) =>
      isUp ? app.request(new URL(url).pathname, { headers }) : new Response(null, { status: 503 }),
  })
  const env = { PATH: process.env['PATH'], CSP_PORT: String(server.port) }
  const check = () => Bun.spawn([program, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] }).exited
  try {
    // One failed search degrades csp, and its manager starts no other for it.
    expect((await app.get('/health', { 'x-api-key': 'a-key-of-the-container' })).body.status).toBe('degraded')
    expect(await check()).toBe(0)
    isUp = false
    expect(await check()).toBe(1)
  } finally {
    await server.stop(true)
  }
  expect(await check()).toBe(1)
})

test('the files name settings and scripts that csp has', () => {
  const named = [...`${containerfile} ${Object.keys(csp.environment)}`.matchAll(/\bCSP_[A-Z_]+/g)].map(([name]) => name)
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((name) => !variables.has(name))).toEqual([])
  const scripts = [...containerfile.matchAll(/npm run (\w+)/g)].map(([, script = '']) => script)
  expect(scripts.filter((script) => !Object.hasOwn(manifest.scripts, script))).toEqual([])
})

test('Open WebUI calls csp by routes that it has, with the key that it requires', () => {
  const paths = new Set([...searchRoutes, ...pageRoutes].map(({ path }) => path))
  const urls = Object.entries<string>(openWebui.environment).filter(([, value]) => value.startsWith('http'))
  expect(urls.length).toBe(3)
  for (const [name, url] of urls) {
    const { host, pathname } = new URL(url)
    expect(host).toBe('csp:52480')
    expect([name, paths.has(pathname) || pathname === '/v1']).toEqual([name, true])
  }
  const keys = Object.entries(openWebui.environment).filter(([name]) => name.endsWith('_KEY'))
  expect(keys.map(([, value]) => /^\$\{(\w+)\}$/.exec(String(value))?.[1])).toEqual(['CSP_KEY', 'CSP_KEY', 'CSP_KEY'])
  expect(csp.environment.CSP_API_KEYS).toMatch(/^\$\{CSP_KEY:\?/)
})
