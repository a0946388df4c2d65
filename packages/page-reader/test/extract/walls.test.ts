import { describe, expect, test } from 'bun:test'
import { extractHtml, extractRough } from '../../src/extract/html.ts'
import { PageError } from '../../src/page-error.ts'

/** The code of the page, read with care and roughly; `read` where it has words. */
function codesOf(html: string, url = 'https://site.example/news/bees'): readonly string[] {
  return [() => extractHtml(html, url, true), () => extractRough(html, url)].map((read) => {
    try {
      read()
      return 'read'
    } catch (error) {
      return error instanceof PageError ? error.code : String(error)
    }
  })
}

const both = (code: string) => [code, code]
const script = '<script src="/app.js"></script>'

describe('a page that is not there, with the status of one that is', () => {
  test.each([
    [
      'WordPress',
      '<title>Page not found – Bees</title><h1>Oops! That page can’t be found.</h1><p>It looks like nothing was found at this location. Maybe try a search?</p>',
    ],
    [
      'GitHub Pages',
      '<title>Site not found · GitHub Pages</title><h1>404</h1><p><strong>File not found</strong></p><p>The site configured at this address does not contain the requested file.</p>',
    ],
    [
      'Next.js',
      `<title>404: This page could not be found.</title><div><h1>404</h1><h2>This page could not be found.</h2></div>${script}`,
    ],
    [
      'Docusaurus',
      '<title>Page Not Found | Bees</title><main><h1>Page Not Found</h1><p>We could not find what you were looking for.</p><p>Please contact the owner of the site that linked you to the original URL and let them know their link is broken.</p></main>',
    ],
    ['Discourse', '<title>Page Not Found - Bees</title><h1>Oops! That page doesn’t exist or is private.</h1>'],
    [
      'Rails',
      "<h1>The page you were looking for doesn't exist.</h1><p>You may have mistyped the address or the page may have moved.</p>",
    ],
    [
      'Shopify',
      '<title>404 Not Found</title><h1>404 Page Not Found</h1><p>The page you requested does not exist. Click here to continue shopping.</p>',
    ],
    [
      'Squarespace',
      "<h1>We couldn't find the page you were looking for.</h1><p>This is either because there is an error in the URL or the page has been removed.</p>",
    ],
    ['without words', `<title>Error 404 | Bees</title><div id="root"></div>${script}`],
    [
      'de',
      '<title>Seite nicht gefunden - Bienen</title><h1>Diese Seite existiert nicht mehr</h1><p>Zur Startseite</p>',
    ],
    ['fr', '<h1>Page introuvable</h1><p>La page que vous cherchez a été déplacée.</p>'],
    ['es', '<h1>Página no encontrada</h1><p>Lo sentimos, la dirección ha cambiado.</p>'],
    ['pt', '<h1>Página não encontrada</h1><p>Voltar ao início do site.</p>'],
    ['it', '<h1>Pagina non trovata</h1><p>Torna alla pagina iniziale del sito.</p>'],
    ['nl', '<h1>Deze pagina bestaat niet meer</h1><p>Ga naar de startpagina.</p>'],
    ['sv', '<h1>Sidan kunde inte hittas</h1><p>Gå till startsidan.</p>'],
    ['pl', '<h1>Strona nie została znaleziona</h1><p>Wróć na stronę główną.</p>'],
    ['ru', '<h1>Страница не найдена</h1><p>Вернитесь на главную страницу.</p>'],
    ['ja', '<h1>お探しのページが見つかりません</h1><p>トップページへ戻る</p>'],
    ['zh', '<h1>抱歉，页面不存在</h1><p>返回首页</p>'],
    ['ko', '<h1>페이지를 찾을 수 없습니다</h1><p>홈으로 돌아가기</p>'],
  ])('%s', (_, html) => expect(codesOf(`<html><body>${html}`)).toEqual(both('not-found')))

  const words = (count: number) => `<p>${'bees hum '.repeat(count / 2)}</p>`

  test.each([
    [
      'about pages that are not found',
      '<h1>Why is my page not found by search engines?</h1><p>Because nobody links it yet.</p>',
    ],
    ['about an error', '<h1>404 page not found in nginx after an update</h1><p>The root was wrong in my case.</p>'],
    ['about a thing that was not found', '<h1>Missing ship not found</h1><p>The search ended on Monday.</p>'],
    ['of a road', '<h1>Route 404</h1><p>It leads from the town to its harbour.</p>'],
    ['with an article', `<title>Page not found</title><h1>The lost page</h1>${words(90)}`],
  ])('but not one %s', (_, html) => expect(codesOf(html)).toEqual(both('read')))

  test('nor one whose address says that it is about that', () => {
    const html = '<h1>404 Not Found</h1><p>The server has no such page, or does not want to say so.</p>'
    expect(codesOf(html, 'https://docs.example/http/status/404')).toEqual(both('read'))
    expect(codesOf(html)).toEqual(both('not-found'))
  })
})

const purposes = `<p>If you click 'Accept all', we and our partners (including 240 who are part of the IAB Transparency &amp; Consent Framework) will also store and/or access information on a device (in other words, use cookies) and use precise geolocation data and other personal data such as IP address and browsing and search data, for personalised advertising and content, advertising and content measurement, audience research and services development.</p>
<p>If you do not want us and our partners to use cookies and personal data for these additional purposes, click 'Reject all'.</p><p>You can withdraw your consent or change your choices at any time by clicking on the 'Privacy and cookie settings' links. Find out more about how we use your personal data in our Privacy policy and Cookie policy.</p>`

describe('a page that asks for consent in place of its words', () => {
  test.each([
    [
      'Google',
      '<title>Before you continue to Google</title><div><h1>Before you continue</h1><p>We use cookies and data to:</p><ul><li>Deliver and maintain services</li><li>Track outages and protect against spam, fraud, and abuse</li></ul><form action="https://consent.google.com/save" method="POST"><button type="submit">I agree</button><button type="button">Reject all</button></form></div>',
    ],
    [
      'YouTube in a frame',
      '<iframe src="https://consent.youtube.com/ml?continue=https%3A%2F%2Fwww.youtube.com"></iframe>',
    ],
    [
      'Yahoo',
      `<title>Yahoo is part of the Yahoo family of brands</title><div class="consent-page"><h1>We, Yahoo, are part of the Yahoo family of brands</h1><form class="consent-form" method="post"><input type="hidden" name="csrfToken" value="a"><input type="hidden" name="originalDoneUrl" value="https://finance.yahoo.com/">${purposes}<button name="agree">Accept all</button></form></div>`,
    ],
    [
      'one of the same family',
      '<h1>Your privacy choices</h1><form class="consent-form" method="post"><input type="hidden" name="originalDoneUrl" value="https://news.example.com/story?a&#x3D;1"><button type="submit" name="agree">Accept all</button></form>',
    ],
    [
      'SourcePoint',
      '<title>zeit.example</title><main><h1>zeit.example mit Werbung</h1><p>Um der Nutzung mit Werbung zuzustimmen, muss JavaScript in Ihrem Browser aktiviert sein. Zustimmung jederzeit widerrufbar.</p></main><iframe id="sp_message_iframe_1" src="https://cdn.privacy-mgmt.com/index.html?message_id=1"></iframe>',
    ],
    [
      'OneTrust',
      '<title>Bees</title><section id="onetrust-pc"><h2>We value your privacy</h2><p>We and our partners store and access information such as cookies on your device, and process personal data such as unique identifiers for personalised ads and content.</p><p>With your consent we may use precise location data.</p><button id="onetrust-accept-btn-handler">Accept All Cookies</button></section>',
    ],
    [
      'Usercentrics',
      '<div id="uc-main"><h1>Wir benötigen Ihre Zustimmung</h1><p>Wir und unsere Partner verwenden Cookies, um Inhalte zu personalisieren; Ihre Einwilligung können Sie jederzeit in den Einstellungen zum Datenschutz widerrufen.</p><button>Alle akzeptieren</button><button>Ablehnen</button></div>',
    ],
    [
      'a French one',
      '<h1>Le respect de votre vie privée est notre priorité</h1><p>Avec votre consentement, nos partenaires et nous utilisons des cookies pour stocker et accéder à des données personnelles comme votre visite sur ce site.</p><a role="button">Accepter &amp; Fermer</a>',
    ],
    [
      'a Dutch one',
      '<title>Jouw privacy</title><h1>Jouw privacy</h1><p>Wij vragen toestemming voor cookies, waarmee wij en onze partners advertenties tonen die bij je passen.</p><button>Akkoord</button>',
    ],
  ])('%s', (_, html) => expect(codesOf(html)).toEqual(both('needs-consent')))

  const banner = `<div class="consent-form"><h2>We value your privacy</h2>${purposes}<button>Accept all</button></div>`
  const article = `<article><h1>The bees of the town</h1>${'<p>The bees of the town have found a new home on the roof of the old harbour office, where nobody disturbs them before the spring.</p>'.repeat(9)}</article>`

  test.each([
    ['an article beside a banner', banner + article],
    ['an article before a banner', article + banner],
    ['a short article beside a banner', `${article.slice(0, 400)}</p></article>${banner}`],
    [
      'an empty shell beside a banner',
      `<div role="dialog"><h2>We value your privacy</h2><p>Cookies</p><button>Accept all</button></div><div id="root"></div><p>Bees hum.</p>`,
    ],
    [
      'an article about consent',
      '<article><h1>How consent to cookies became a business</h1><p>Consent banners were rare before 2018, says a study of cookies that was published today, and most of their buttons do nothing.</p></article><button>Accept all</button>',
    ],
    [
      'an informed consent',
      '<article><h1>Consent in medicine</h1><p>A patient gives consent before an operation, and the consent is written down by the doctor who explains it.</p></article>',
    ],
  ])('but not %s', (_, html) => expect(codesOf(html)).toEqual(both('read')))

  test('nor one whose address says that it is about that', () => {
    const policy =
      '<h1>Your privacy</h1><p>We use cookies to keep you signed in, and to count our readers.</p><button>Accept</button>'
    expect(codesOf(policy, 'https://site.example/legal/cookie-policy')).toEqual(both('read'))
    expect(codesOf(policy)).toEqual(both('needs-consent'))
  })
})

test('hostile headings and texts take no long time', () => {
  const heading = `<h1>${'the page that you were looking '.repeat(20_000)}</h1>`
  expect(codesOf(`${heading}<p>Bees hum.</p>`)).toEqual(both('read'))
  expect(codesOf(`<p>${'cookie '.repeat(500)}</p>${'<button>x</button>'.repeat(20_000)}`)).toEqual(both('read'))
})
