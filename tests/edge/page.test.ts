import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Edge, startEdge } from './support/edge.ts'

let edge: Edge | undefined
beforeAll(async () => {
  edge = await startEdge()
})
afterAll(() => edge?.stop())

test('the Worker shows the page, with its scripts and styles, to a visitor who has no key yet', async () => {
  const page = await fetch(`${edge?.url}/`, { headers: { accept: 'text/html' } })
  const markup = await page.text()
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(markup).toContain('data-needs-key="true"')
  expect(markup).toContain('data-refresh="30"')
  for (const [name, type] of [
    ['main.js', 'text/javascript'],
    ['style.css', 'text/css'],
  ]) {
    const file = await fetch(`${edge?.url}/page/${name}`)
    expect(file.headers.get('content-type')).toStartWith(type ?? '')
    expect((await file.text()).length).toBeGreaterThan(1000)
  }
  expect((await fetch(`${edge?.url}/v1/requests`)).status).toBe(401)
})

test('the Worker describes its routes, to requests at the same time and again, without a key', async () => {
  const documents = await Promise.all([1, 2, 3].map(async () => (await fetch(`${edge?.url}/openapi.json`)).text()))
  expect(new Set(documents).size).toBe(1)
  expect(Object.keys(JSON.parse(documents[0] ?? '').paths).length).toBeGreaterThan(90)
  expect(await (await fetch(`${edge?.url}/llms.txt`)).text()).toStartWith('# claude-search-proxy')
})
