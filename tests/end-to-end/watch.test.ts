import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { Exa } from 'exa-js'
import { cspOnSandbox } from '../support/csp-on-sandbox.ts'
import { eventually } from '../support/processes.ts'
import { claudeEnvironment } from '../support/real-claude.ts'
import { launcher } from '../support/tested-program.ts'

// A csp that runs searches as soon as `csp watch` asks it to.

setDefaultTimeout(90_000)
const told: { readonly signature: string | null; readonly body: string }[] = []
const hook = Bun.serve({
  ...{ hostname: '127.0.0.1', port: 0, development: false },
  async fetch(request) {
    told.push({ signature: request.headers.get('exa-signature'), body: await request.text() })
    return new Response()
  },
})
afterAll(() => hook.stop(true))
const { csp, standIn } = await cspOnSandbox([
  ...['--search-model', 'sonnet', '--pages-allow', `127.0.0.1:${hook.port}`],
  ...['--api-keys', 'one-key,other-key'],
])

test('csp watch has the csp that runs search, and the feed has what it found', async () => {
  const run = async (...args: readonly string[]) => {
    const child = Bun.spawn(['node', launcher, 'watch', ...args], {
      env: { ...claudeEnvironment(standIn.url, csp.home), TMPDIR: csp.home },
      cwd: csp.home,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { code: await child.exited, output, errors }
  }
  const { code, output, errors } = await run('harbour seals', '--every', 'hour', '--json')
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
  const { feed } = JSON.parse(output)
  expect(feed).toStartWith(`${csp.url}/v1/watches/`)
  let xml = ''
  await eventually(async () => {
    xml = await (await fetch(feed)).text()
    return xml.includes('<entry>')
  })
  expect(xml).toContain('<category term="new"/>')
  expect(standIn.sandbox.stats().callsByKind.search).toBe(1)
  expect(csp.log()).not.toContain(feed.slice(-37, -5))
  expect((await run('remove', feed)).output).toBe('Removed.\n')
  expect((await fetch(feed)).status).toBe(404)
})

test('a monitor of a key runs, and tells the one private host that is opened', async () => {
  const exa = new Exa('one-key', `${csp.url}/exa`)
  const before = standIn.sandbox.stats().callsByKind
  const search = { query: 'grey whales', numResults: 3 }
  const webhook = (port: number | undefined) => ({ url: `http://127.0.0.1:${port}/hook` })
  const own = Number(new URL(csp.url).port)
  await expect(exa.monitors.create({ search, webhook: webhook(own) })).rejects.toThrow(/webhook\.url/)
  const { id, webhookSecret } = await exa.monitors.create({
    ...{ search, trigger: { type: 'interval', period: '1d' } },
    webhook: { ...webhook(hook.port), events: ['monitor.run.completed'] },
  })
  await exa.monitors.trigger(id)
  await eventually(() => told.length === 1)
  const { signature, body } = told[0] ?? { signature: '', body: '' }
  const [, time, digest] = /^t=(\d+),v1=(.+)$/.exec(signature ?? '') ?? []
  expect(digest).toBe(createHmac('sha256', webhookSecret).update(`${time}.${body}`).digest('hex'))
  const { data } = JSON.parse(body)
  expect(data).toMatchObject({ status: 'completed', monitorId: id })
  expect(data.output.results.length).toBe(3)
  expect(data.output.content).toContain('[1]')
  const { callsByKind } = standIn.sandbox.stats()
  expect([callsByKind.search - before.search, callsByKind.write - before.write]).toEqual([1, 1])
  expect((await exa.monitors.runs.list(id)).data).toMatchObject([{ delivery: { status: 'delivered' } }])
  await expect(new Exa('other-key', `${csp.url}/exa`).monitors.get(id)).rejects.toThrow('no such monitor')
  expect((await fetch(`${csp.url}/v1/watches/${id}.atom`)).status).toBe(404)
  const metrics = await (await fetch(`${csp.url}/metrics`, { headers: { 'x-api-key': 'one-key' } })).text()
  expect(metrics).toMatch(/^csp_watches 1$/m)
  const { rows } = await (await fetch(`${csp.url}/health`, { headers: { 'x-api-key': 'one-key' } })).json()
  expect(rows).toContainEqual({ name: 'Watches', level: 'ok', text: '1.' })
})
