import { describe, expect } from 'bun:test'
import { isKnown } from '../../packages/sandbox/src/library/find.ts'
import { createPage } from '../../src/web-ui/page.tsx'
import { answered, scriptedExecutor } from '../support/scripted-executor.ts'
import { faultsOf, withBrowser } from './visit.ts'

// The frame of the page: menu, drawer, views.

const { test, visit } = withBrowser()
const page = { page: async () => createPage(1) }

test('the questions to try are those that the sandbox has pages about, where csp is on it', async () => {
  const health = { ready: true, backends: [{ name: 'claude', ready: true }] }
  for (const isSandbox of [false, true]) {
    await using visited = await visit({ ...scriptedExecutor(answered, health), isSandbox }, page)
    const shown = visited.page.locator('.sugg button')
    await visited.page.locator('.stateline', { hasText: 'work' }).waitFor()
    const known = (await shown.allTextContents()).map((question) => isKnown(question))
    expect(known).toHaveLength(3)
    expect(known.every(Boolean)).toBe(isSandbox)
  }
})

describe('the views', () => {
  test('have addresses of their own, and are reached by the menu', async () => {
    await using visited = await visit(scriptedExecutor(answered), page)
    const tab = visited.page
    for (const [link, title] of [
      ['Earlier', 'Earlier questions'],
      ['State', 'State'],
      ['Clients', 'Clients'],
      ['Data', 'Data'],
      ['Keys', 'Keys'],
    ] as const) {
      await tab.getByRole('complementary', { name: 'Menu' }).getByRole('link', { name: link }).click()
      await tab.getByRole('heading', { level: 1, name: title }).waitFor()
      expect(await tab.locator('.rail [aria-current]').count()).toBe(1)
    }
    await tab.goBack()
    await tab.getByRole('heading', { level: 1, name: 'Data' }).waitFor()
    expect(visited.complaints).toEqual([])
  })

  test('are in a drawer on a telephone, below a bar of one row', async () => {
    await using visited = await visit(scriptedExecutor(answered), page, '#data')
    const tab = visited.page
    await tab.setViewportSize({ width: 320, height: 640 })
    expect((await tab.locator('.top').boundingBox())?.height).toBe(52)
    await tab.getByRole('button', { name: 'Menu' }).click()
    const drawer = tab.getByRole('dialog', { name: 'Menu' })
    await drawer.waitFor()
    expect(await faultsOf(tab)).toEqual([])
    await tab.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    await tab.getByRole('button', { name: 'Menu' }).click()
    await drawer.getByRole('link', { name: 'Keys' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    await drawer.waitFor({ state: 'hidden' })
  })
})
