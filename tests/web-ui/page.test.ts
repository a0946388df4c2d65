import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import type { SignIn } from '../../src/api/endpoints/own-parts.ts'
import { SearchError } from '../../src/domain/error.ts'
import type { ExecutorHealth } from '../../src/domain/health.ts'
import { answered, scriptedExecutor } from '../support/scripted-executor.ts'
import { ask, becomes, faultsOf, hasText, isAnswered, show, withBrowser } from './visit.ts'

// Keys, the sign-in and the page as a whole, in a true browser, on a csp whose executor is scripted.

const { test, visit } = withBrowser()

describe('text of a model or a page', () => {
  test('stays text, whatever it says', async () => {
    const attack = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'
    const results = [
      { title: attack, url: 'javascript:document.title="owned"', snippet: attack, source: 'scripted' },
      { title: 'Fine', url: 'https://fine.example/', snippet: undefined, source: 'scripted' },
    ]
    await using visited = await visit(
      scriptedExecutor([
        { type: 'search-start', id: 's1', query: attack },
        { type: 'search-results', id: 's1', results },
        { type: 'text-delta', text: `${attack} [1] [2] [a](javascript:alert(1))` },
        { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 1, outputTokens: 1 }, model: 'm' },
      ]),
    )
    const { page, complaints } = visited
    await ask(page, attack)
    await isAnswered(page)
    expect(await page.textContent('.prose')).toContain(attack)
    expect(await page.textContent('.scards')).toContain(attack)
    expect(await page.locator('.thread img, .thread script').count()).toBe(0)
    const links = await page
      .locator('.thread .prose a, .scard[href]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(links).toEqual(['https://fine.example/', 'https://fine.example/'])
    expect(await page.title()).toBe('claude-search-proxy')
    expect(complaints).toEqual([])
  })
})

/** Replies of csp arrive and are not read before `letRead()`. */
const holdReplies = (page: Page) =>
  page.evaluate(() => {
    const { json } = Response.prototype
    const read = Promise.withResolvers<void>()
    Object.assign(window, { arrived: false, letRead: read.resolve })
    Response.prototype.json = async function () {
      Object.assign(window, { arrived: true })
      await read.promise
      return json.call(this)
    }
  })

describe('keys', () => {
  test('are asked for, refused when they are wrong, kept in the tab, and sent with a search', async () => {
    const executor = scriptedExecutor(answered)
    await using visited = await visit(executor, { keys: ['right-key'] })
    const { page } = visited
    await page.fill('#key', 'wrong-key')
    await page.keyboard.press('Enter')
    await hasText(page, '#key-note', 'The key is wrong.')
    await hasText(page, '.stateline', 'Searches work')
    await page.fill('#key', 'right-key')
    await page.keyboard.press('Enter')
    await page.locator('.key-form').waitFor({ state: 'hidden' })
    await becomes(() => page.evaluate(() => document.activeElement?.id), 'question')
    await hasText(page, '.rail .foot', 'Version 1.2.3')
    await ask(page, 'What is it?')
    await isAnswered(page)
    expect(executor.calls).toHaveLength(1)
    await page.reload()
    await hasText(page, '.rail .foot', 'Version 1.2.3')
    expect(await page.isVisible('.key-form')).toBe(false)
    expect(page.url()).not.toContain('right-key')
  })

  test('stay where they are entered before csp has refused the one before', async () => {
    await using visited = await visit(scriptedExecutor(answered), { keys: ['right-key'] })
    const { page } = visited
    await hasText(page, '.stateline', 'Searches work')
    await holdReplies(page)
    await page.fill('#key', 'wrong-key')
    await page.keyboard.press('Enter')
    await becomes(() => page.evaluate('arrived'), true)
    await page.fill('#key', 'right-key')
    await page.keyboard.press('Enter')
    await page.evaluate('letRead()')
    await page.locator('.key-form').waitFor({ state: 'hidden' })
    await hasText(page, '.rail .foot', 'Version 1.2.3')
  })

  test('stay where they are entered before a search without one was refused', async () => {
    await using visited = await visit(scriptedExecutor(answered), { keys: ['right-key'] })
    const { page } = visited
    await hasText(page, '.stateline', 'Searches work')
    await holdReplies(page)
    await ask(page, 'What is it?')
    await becomes(() => page.evaluate('arrived'), true)
    await page.fill('#key', 'right-key')
    await page.keyboard.press('Enter')
    await page.evaluate('letRead()')
    await hasText(page, '.notice', 'csp asks for a key')
    await hasText(page, '.rail .foot', 'Version 1.2.3')
    expect(await page.evaluate(() => sessionStorage.getItem('csp-key'))).toBe('right-key')
  })

  test('can be changed, and what is typed stays while the state is asked for', async () => {
    await using visited = await visit(scriptedExecutor(answered), { keys: ['one-key', 'other-key'] })
    const { page } = visited
    await page.fill('#key', 'one-key')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Change key' }).click()
    await page.fill('#key', 'other-key')
    for (let count = 0; count < 2; count++) await page.waitForResponse('**/v1/usage')
    expect(await page.inputValue('#key')).toBe('other-key')
    await page.keyboard.press('Enter')
    await page.locator('.key-form').waitFor({ state: 'hidden' })
    await ask(page, 'What is it?')
    await isAnswered(page)
  })

  test('are remembered on this device only where that is chosen, and forgotten when they are wrong', async () => {
    await using visited = await visit(scriptedExecutor(answered), { keys: ['right-key'] })
    const { page } = visited
    const kept = () => page.evaluate(() => [localStorage.length, sessionStorage.length])
    await page.fill('#key', 'right-key')
    await page.getByRole('checkbox', { name: 'Remember on this device' }).check()
    await page.keyboard.press('Enter')
    await page.locator('.key-form').waitFor({ state: 'hidden' })
    expect(await kept()).toEqual([1, 0])
    await page.getByRole('button', { name: 'Change key' }).click()
    await page.fill('#key', 'wrong-key')
    await page.keyboard.press('Enter')
    await hasText(page, '#key-note', 'The key is wrong.')
    expect(await kept()).toEqual([0, 0])
  })

  test('come with the fragment of an address, and leave it at once', async () => {
    await using visited = await visit(scriptedExecutor(answered), { keys: ['right-key'] }, '#key=right-key&q=bees')
    await hasText(visited.page, '.rail .foot', 'Version 1.2.3')
    await becomes(async () => visited.page.url(), `${visited.url}/#q=bees`)
    expect(await visited.page.evaluate(() => localStorage.length)).toBe(0)
    // As the QR code of `csp keys add` has it.
    await visited.page.goto('about:blank')
    await visited.page.goto(`${visited.url}/#key=right-key&remember=on`)
    await hasText(visited.page, '.rail .foot', 'Version 1.2.3')
    await becomes(async () => visited.page.url(), `${visited.url}/#`)
    expect(await visited.page.evaluate(() => localStorage.length)).toBe(1)
  })

  for (const [kept, isRemembered, link] of [
    ['of this tab', false, '#key=another-key'],
    ['of this tab, to be remembered', false, '#key=another-key&remember=on'],
    ['of this device', true, '#key=another-key'],
    ['of this device, to be remembered', true, '#key=another-key&remember=on&q=bees'],
    ['of this device, in another order', true, '#remember=on&q=bees&key=another-key'],
  ] as const)
    test(`${kept} make way for another key of a link (${link}) only when that is confirmed`, async () => {
      const keys = ['right-key', 'another-key']
      const first = `#key=right-key${isRemembered ? '&remember=on' : ''}`
      await using visited = await visit(scriptedExecutor(answered), { keys }, first)
      const { page, url } = visited
      const questions: string[] = []
      let isAccepted = false
      page.on('dialog', (dialog) => {
        questions.push(dialog.message())
        void (isAccepted ? dialog.accept() : dialog.dismiss())
      })
      const stored = () =>
        page.evaluate(() => [sessionStorage.getItem('csp-key'), localStorage.getItem('csp-key')].filter(Boolean))
      const follow = async (fragment: string) => {
        await page.evaluate((to) => {
          location.hash = to
          location.reload()
        }, fragment)
        await becomes(async () => page.url().includes('key='), false)
        await hasText(page, '.rail .foot', 'Version 1.2.3')
      }
      await becomes(stored, ['right-key'])
      await follow(first)
      expect(questions).toEqual([])
      await follow(link)
      expect(questions).toHaveLength(1)
      expect(questions[0]).toContain('another key is stored')
      expect(await stored()).toEqual(['right-key'])
      isAccepted = true
      await follow(link)
      expect(await stored()).toEqual(['another-key'])
      expect(page.url()).toStartWith(`${url}/#`)
    })

  test('are asked for by a search that lacks one', async () => {
    await using visited = await visit(scriptedExecutor(answered), { keys: ['right-key'] })
    await ask(visited.page, 'What is it?')
    await hasText(visited.page, '.notice', 'csp asks for a key')
    await visited.page.locator('.key-form').waitFor()
  })
})

describe('the sign-in', () => {
  const signedOut = { ready: false, backends: [{ name: 'claude', ready: false, signedIn: false }] }

  /** A login that shows a link, refuses the first code and takes the second. */
  function scriptedSignIn() {
    const codes: string[] = []
    const entered = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    const left = Promise.withResolvers<void>()
    const state = { health: signedOut as ExecutorHealth, begun: 0 }
    const signIn: SignIn = {
      async *begin(signal) {
        state.begun++
        signal.addEventListener('abort', () => left.resolve(), { once: true })
        yield { type: 'started', id: 'one' }
        yield { type: 'link', url: 'https://claude.com/cai/oauth/authorize?state=s' }
        await Promise.race([entered[0].promise, left.promise])
        if (signal.aborted) return
        yield { type: 'note', text: 'That is not the full code.' }
        await entered[1].promise
        state.health = { ready: true, backends: [{ name: 'claude', ready: true, signedIn: true }] }
        yield { type: 'done' }
      },
      async enter(_, code) {
        entered[Math.min(codes.push(code), 2) - 1]?.resolve()
        return true
      },
    }
    const executor = { ...scriptedExecutor(answered), health: async () => state.health }
    return { executor, signIn, codes, state, left: left.promise }
  }

  test('leads from the link to the code and to searches that work, by keyboard alone', async () => {
    const { executor, signIn, codes } = scriptedSignIn()
    await using visited = await visit(executor, { signIn })
    const { page, complaints } = visited
    await page.locator('#sign-in .main').focus()
    await page.keyboard.press('Enter')
    const link = page.locator('#sign-in a')
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe('https://claude.com/cai/oauth/authorize?state=s')
    await becomes(() => link.evaluate((one) => one === document.activeElement), true)
    await page.keyboard.press('Tab')
    await page.keyboard.type('half')
    await page.keyboard.press('Enter')
    await hasText(page, '#sign-in [role=status]', 'That is not the full code.')
    // The form is emptied with the reply to the code, which may come after what is said of it.
    await becomes(() => page.inputValue('#code'), '')
    expect(await faultsOf(page)).toEqual([])
    await page.fill('#code', 'whole#s')
    await page.keyboard.press('Enter')
    await page.locator('#sign-in').waitFor({ state: 'hidden' })
    await hasText(page, '.rail .k', 'Works')
    expect(codes).toEqual(['half', 'whole#s'])
    expect(complaints).toEqual([])
  })

  test('stands in the error of a search, with the cure as a button', async () => {
    const { signIn, state } = scriptedSignIn()
    const failing = scriptedExecutor([new SearchError('signed-out', 'Claude is signed out.')])
    await using visited = await visit({ ...failing, health: async () => state.health }, { signIn })
    const { page } = visited
    await page.locator('#sign-in .main').waitFor()
    await ask(page, 'What is it?')
    await page.locator('.thread #sign-in .main').click()
    await page.locator('.thread #sign-in a').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await show(page, 'state')
    await page.locator('main #sign-in .main').waitFor()
  })

  test('ends at Cancel, and can begin again', async () => {
    const { executor, signIn, state, left } = scriptedSignIn()
    await using visited = await visit(executor, { signIn })
    await visited.page.click('#sign-in .main')
    // Earlier, the request may not have left.
    await visited.page.locator('#sign-in a').waitFor()
    await visited.page.getByRole('button', { name: 'Cancel' }).click()
    await left
    await hasText(visited.page, '#sign-in [role=status]', 'Cancelled.')
    await visited.page.click('#sign-in .main')
    await visited.page.locator('#sign-in a').waitFor()
    expect(state.begun).toBe(2)
  })

  test('says what to type where csp cannot do it', async () => {
    await using visited = await visit({ ...scriptedExecutor(answered), health: async () => signedOut })
    await hasText(visited.page, '#sign-in', 'csp login')
    await hasText(visited.page, '.rail .k', 'Signed out')
    expect(await visited.page.getByRole('button', { name: 'Sign in' }).count()).toBe(0)
  })
})

describe('the page', () => {
  test('can be installed, and take what a phone shares', async () => {
    await using visited = await visit(scriptedExecutor(answered))
    const { page, url, complaints } = visited
    const href = await page.locator('link[rel=manifest]').evaluate((link) => (link as HTMLLinkElement).href)
    const manifest = await (await fetch(href)).json()
    const touched = page.locator('link[rel=apple-touch-icon]')
    const sizes = touched.evaluate(async (link) => {
      const picture = new Image()
      picture.src = (link as HTMLLinkElement).href
      await picture.decode()
      return [picture.naturalWidth, picture.naturalHeight]
    })
    expect(await sizes).toEqual([180, 180])
    const icon = await fetch(new URL(manifest.icons[0].src, href))
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    const { action, params } = manifest.share_target
    const shared = new URL(action, href)
    shared.searchParams.set(params.text, 'What is shared?')
    expect(shared.origin).toBe(url)
    await page.goto(String(shared))
    await hasText(page, '.asked', 'What is shared?')
    await isAnswered(page)
    expect(complaints).toEqual([])
  })

  test('follows the theme of its visitor', async () => {
    await using visited = await visit(scriptedExecutor(answered))
    const paper = () => visited.page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    await visited.page.emulateMedia({ colorScheme: 'light' })
    const light = await paper()
    await visited.page.emulateMedia({ colorScheme: 'dark' })
    await becomes(async () => (await paper()) === light, false)
  })
})
