import { expect, test } from 'bun:test'
import type { RequestListener } from 'node:http'
import { PageError } from '@csp/page-reader/page-error'
import { checkLed } from '../../../packages/page-reader/src/local/check-reply.ts'
import { openSite, readerOf, type SitePages } from './site.ts'

const words = `<article>${'<p>Bees are insects that hum, and they make honey, which is sweet and golden.</p>'.repeat(9)}</article>`
const login = '<title>Log in</title><main><form>Name <input> Password <input type="password"></form></main>'
const consent = '<h1>Almost there</h1><p>We need your consent to our cookies.</p>'
const app = '<div id="root"></div><script src="/app.js"></script>'

function status(code: number, headers: Readonly<Record<string, string>> = {}, body = 'No.'): RequestListener {
  return (_, reply) => void reply.writeHead(code, { 'content-type': 'text/html', ...headers }).end(body)
}

/** What comes of the page at `/`: the code of its failure, or `read`. */
async function outcomeOf(pages: SitePages, path = '/'): Promise<string> {
  await using site = await openSite(pages)
  const reader = readerOf(site.port)
  try {
    const reading = reader.read({ url: `${site.origin}${path}` }, { signal: AbortSignal.timeout(20_000) })
    return await reading.then(
      () => 'read',
      (error) => (error instanceof PageError ? error.code : String(error)),
    )
  } finally {
    await reader.close()
  }
}

test.each([
  ['401', status(401), 'needs-login'],
  ['402', status(402), 'blocked-by-status'],
  ['403', status(403), 'blocked-by-status'],
  ['429', status(429), 'blocked-by-status'],
  ['451', status(451), 'blocked-by-status'],
  ['999', status(999), 'blocked-by-status'],
  ['404', status(404), 'not-found'],
  ['410', status(410), 'not-found'],
  ['500', status(500), 'site-failed'],
  ['403 of Cloudflare, by its header', status(403, { 'cf-mitigated': 'challenge' }), 'blocked-by-challenge'],
  ['503 with its challenge', status(503, {}, '<script>window._cf_chl_opt = {}</script>'), 'blocked-by-challenge'],
  ['202 of AWS WAF', status(202, { 'x-amzn-waf-action': 'challenge' }, app), 'blocked-by-challenge'],
  ['429 of Vercel', status(429, { 'x-vercel-mitigated': 'challenge' }), 'blocked-by-challenge'],
  ['403 with a page of HUMAN', status(403, {}, '<div id="px-captcha"></div>'), 'blocked-by-challenge'],
  [
    '404 with the script of a protector',
    status(404, {}, '<script src="/cdn-cgi/challenge-platform/x"></script>'),
    'not-found',
  ],
  ['202 with a page', status(202, {}, words), 'read'],
  ['200 with the header of a protector', status(200, { 'x-datadome': 'protected' }, words), 'read'],
])('a reply of %s', async (_, page, code) => expect(await outcomeOf({ '/': page })).toBe(code))

const to = (location: string) => status(302, { location })

test.each([
  ['a login', { '/': to('/login?next=%2F'), '/login': login }, 'needs-login'],
  ['a login that says little', { '/': to('/users/sign_in'), '/users/sign_in': '<h1>Welcome back</h1>' }, 'needs-login'],
  ['a login made of scripts', { '/': to('/sso/start'), '/sso/start': app }, 'needs-login'],
  ['what asks for consent', { '/': to('/collectConsent?id=1'), '/collectConsent': consent }, 'needs-consent'],
  ['a consent made of scripts', { '/': to('/zustimmung?url=x'), '/zustimmung': app }, 'needs-consent'],
  ['a text about consent', { '/': to('/consent/'), '/consent/': words }, 'read'],
  ['a page that says that it is not there', { '/': to('/404.html'), '/404.html': '<h1>Oh dear</h1>' }, 'not-found'],
  ['an article at such an address', { '/': to('/blog/404/'), '/blog/404/': words }, 'read'],
  ['an article at the address of a login', { '/': to('/blog/oauth2/'), '/blog/oauth2/': words }, 'read'],
  ['a few words elsewhere', { '/': to('/catalogin'), '/catalogin': '<p>Bees hum.</p>' }, 'read'],
  ['scripts elsewhere', { '/': to('/app'), '/app': app }, 'needs-scripts'],
])('a page that leads to %s', async (_, pages, code) => expect(await outcomeOf(pages)).toBe(code))

test('who asks for a login by its address gets what stands there', async () => {
  const pages = { '/login': to('/login/'), '/login/': '<h1>Members</h1><p>Write to us.</p>' }
  expect(await outcomeOf(pages, '/login')).toBe('read')
})

test('a host for a language is no login, a host for logins is', () => {
  const led = (host: string) => () => checkLed('https://www.bees.example/', new URL(`https://${host}/x`), 'Lebah.')
  expect(led('id.bees.example')).not.toThrow()
  for (const host of ['accounts.bees.example', 'sso.example']) expect(led(host)).toThrow(/login/)
})
