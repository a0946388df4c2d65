import { beforeAll, describe, expect, test } from 'bun:test'
import { longestTurn } from '@csp/testing/longest-turn'
import { loadRoutes } from '../../../src/api/vendors.ts'
import { createPage } from '../../../src/web-ui/page.tsx'
import { testApp } from '../test-app.ts'

// What anybody may ask for without a key, many times at once, right after the start.

const maxTurnMs = 50
const paths = ['/openapi.json', '/llms.txt', '/opensearch.xml', '/page/main.js', '/page/app.webmanifest', '/']

beforeAll(loadRoutes)

/** A csp with keys that has just started, and how often its page was made. */
function fresh() {
  let pages = 0
  const page = async () => {
    pages++
    return createPage()
  }
  return { app: testApp(undefined, { keys: ['key'], page }), pages: () => pages }
}

async function ask(app: ReturnType<typeof fresh>['app'], path: string): Promise<string> {
  const reply = await app.request(path, { headers: { accept: path === '/' ? 'text/html' : '*/*' } })
  expect(reply.status).toBe(200)
  return reply.text()
}

describe('routes that need no key', () => {
  test.each(paths)('a hundred callers at once of %s hardly cost more than a few', async (path) => {
    const few = await took(() => ask(fresh().app, path))
    const { app } = fresh()
    const replies: string[] = []
    const many = await took(async () => {
      replies.push(...(await Promise.all(Array.from({ length: 100 }, () => ask(app, path)))))
    })
    expect(new Set(replies).size).toBe(1)
    expect(many).toBeLessThan(5 * few + 200)
  })

  test.each(paths)('nobody waits long for another while %s is made', async (path) => {
    const work = () => Promise.all(Array.from({ length: 5 }, () => ask(fresh().app, path)))
    expect(await longestTurn(work, maxTurnMs)).toBeLessThan(maxTurnMs)
  })

  test('the page is made once for all', async () => {
    const { app, pages } = fresh()
    await Promise.all(['/', '/page/main.js', '/page/style.css', '/page/icon.png'].map((path) => ask(app, path)))
    expect(pages()).toBe(1)
  })

  test('the text for agents names the address of each caller', async () => {
    const { app } = fresh()
    for (const host of ['localhost:1234', '127.0.0.1:5', '[::1]:80']) {
      const text = await (await app.request(`http://${host}/llms.txt`, { headers: { host } })).text()
      expect(text).toContain(`The address is ${new URL(`http://${host}`).origin}.`)
      expect(text).not.toContain('{address}')
    }
  })
})

async function took(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
