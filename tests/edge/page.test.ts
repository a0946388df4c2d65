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
