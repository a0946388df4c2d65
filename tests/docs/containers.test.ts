import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { pageRoutes, searchRoutes } from '../../src/api/vendors.ts'
import { settings } from '../../src/runtime/config/settings.ts'

// There is no container engine here, so the files are held against csp, and against each other.

const root = join(import.meta.dir, '../..')
const containerfile = readFileSync(join(root, 'Containerfile'), 'utf8')
const compose = Object(Bun.YAML.parse(readFileSync(join(root, 'compose.yaml'), 'utf8')))
const { csp, 'open-webui': openWebui } = compose.services
const variables = new Set(settings.map(({ variable }) => variable))

test('the image has the CLI that the tests run, and a node that csp supports', () => {
  const [, version] = /^ARG CLAUDE_CODE_VERSION=(\S+)$/m.exec(containerfile) ?? []
  expect(version).toBe(manifest.devDependencies['@anthropic-ai/claude-code'])
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
