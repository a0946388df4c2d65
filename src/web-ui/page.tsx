/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { BoundedMap } from '@csp/lib/bounded-map'
import type { FrontPage, Visitor } from '../api/endpoints/own-parts.ts'
import { clientSnippets } from '../clients/snippets.ts'
import drawing from './browser/icon.svg' with { type: 'text' }
import font from './made/font.txt' with { type: 'text' }
import script from './made/script.txt' with { type: 'text' }
import answer from './style/answer.css' with { type: 'text' }
import ask from './style/ask.css' with { type: 'text' }
import clients from './style/clients.css' with { type: 'text' }
import controls from './style/controls.css' with { type: 'text' }
import data from './style/data.css' with { type: 'text' }
import evidence from './style/evidence.css' with { type: 'text' }
import frame from './style/frame.css' with { type: 'text' }
import phone from './style/phone.css' with { type: 'text' }
import sources from './style/sources.css' with { type: 'text' }
import state from './style/state.css' with { type: 'text' }
import tokens from './style/tokens.css' with { type: 'text' }
import { touchIcon } from './touch-icon.ts'

const icon = `data:image/svg+xml,${encodeURIComponent(drawing.trim())}`
const style = [tokens, frame, controls, ask, answer, sources, evidence, state, clients, data, phone].join('')

/** Creates the page for people. Its script asks this server for its state every `refreshSeconds`. */
export function createPage(refreshSeconds = 5): FrontPage {
  // Anybody may ask for it again and again, and it takes milliseconds.
  const known = new BoundedMap<string, string>(16)
  return {
    markup(visitor) {
      const { url, needsKey, isDirect, notice } = visitor
      const key = JSON.stringify([url, needsKey, isDirect, notice])
      const markup =
        known.get(key) ?? `<!doctype html>${String(<Document visitor={visitor} refreshSeconds={refreshSeconds} />)}`
      known.set(key, markup)
      return markup
    },
    files: {
      'style.css': { type: 'text/css; charset=utf-8', body: style },
      'main.js': { type: 'text/javascript; charset=utf-8', body: script },
      'clients.json': { type: 'application/json', body: JSON.stringify(snippets) },
      'app.webmanifest': { type: 'application/manifest+json', body: JSON.stringify(manifest) },
      'icon.svg': { type: 'image/svg+xml', body: drawing },
      'icon.png': { type: 'image/png', body: bytes(touchIcon) },
      'inter.woff2': { type: 'font/woff2', body: bytes(font) },
    },
  }
}

/** The configurations of clients for a csp at this address, which the script replaces by its own. */
const placeholder = 'https://csp.invalid'
const snippets = {
  address: placeholder,
  open: clientSnippets({ url: placeholder, key: undefined }),
  keyed: clientSnippets({ url: placeholder, key: 'YOUR-KEY' }),
}

/** What a phone needs to install the page, and to share to it. Its addresses are relative to `/page/`. */
const manifest = {
  name: 'claude-search-proxy',
  short_name: 'csp',
  start_url: '../',
  scope: '../',
  display: 'standalone',
  background_color: '#fbfaf7',
  theme_color: '#fbfaf7',
  icons: [{ src: 'icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any maskable' }],
  share_target: { action: '../', method: 'GET', params: { title: 'title', text: 'q', url: 'url' } },
}

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
}

// Addresses are relative, so that the page also works below a path of a reverse proxy.
function Document({ visitor, refreshSeconds }: { visitor: Visitor; refreshSeconds: number }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>claude-search-proxy</title>
        <link rel="icon" href={icon} />
        <link rel="apple-touch-icon" href="page/icon.png" />
        <link rel="manifest" href="page/app.webmanifest" />
        <link rel="search" type="application/opensearchdescription+xml" title="csp" href="opensearch.xml" />
        <link rel="preload" as="font" type="font/woff2" href="page/inter.woff2" crossorigin="anonymous" />
        <link rel="stylesheet" href="page/style.css" />
        <script type="module" src="page/main.js" />
      </head>
      <body
        data-refresh={refreshSeconds}
        data-needs-key={String(visitor.needsKey)}
        data-is-direct={String(visitor.isDirect)}
        data-notice={visitor.notice}
      >
        <div id="app" />
        <noscript>
          <WithoutScript visitor={visitor} />
        </noscript>
      </body>
    </html>
  )
}

/** What there is without JavaScript: what goes into the configuration of each client. */
function WithoutScript({ visitor: { url, needsKey, notice } }: { visitor: Visitor }) {
  return (
    <main class="narrow">
      <h1>claude-search-proxy</h1>
      {notice && <p>{notice}</p>}
      <p>This page needs JavaScript to search. The configurations below work without it.</p>
      {clientSnippets({ url, key: needsKey ? 'YOUR-KEY' : undefined }).map((group) => (
        <section>
          <h2>{group.title}</h2>
          {group.snippets.map(({ client, place, text }) => (
            <details>
              <summary>{client}</summary>
              <p class="soft">{place}</p>
              <pre tabindex={0}>{text}</pre>
            </details>
          ))}
        </section>
      ))}
    </main>
  )
}
