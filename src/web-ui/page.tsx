/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { BoundedMap } from '@csp/lib/bounded-map'
import type { FrontPage, PageFile, Visitor } from '../api/endpoints/own-parts.ts'
import drawing from './browser/icon.svg' with { type: 'text' }
import answer from './old/answer.css' with { type: 'text' }
import api from './old/api.js' with { type: 'text' }
import ask from './old/ask.js' with { type: 'text' }
import chart from './old/chart.js' with { type: 'text' }
import connect from './old/connect.js' with { type: 'text' }
import dom from './old/dom.js' with { type: 'text' }
import evidence from './old/evidence.js' with { type: 'text' }
import exchange from './old/exchange.js' with { type: 'text' }
import headerStyle from './old/header.css' with { type: 'text' }
import jobs from './old/jobs.js' with { type: 'text' }
import kept from './old/kept.css' with { type: 'text' }
import main from './old/main.js' with { type: 'text' }
import memory from './old/memory.js' with { type: 'text' }
import receipts from './old/receipts.js' with { type: 'text' }
import rendering from './old/rendering.js' with { type: 'text' }
import requests from './old/requests.js' with { type: 'text' }
import search from './old/search.css' with { type: 'text' }
import signIn from './old/sign-in.js' with { type: 'text' }
import stateStyle from './old/state.css' with { type: 'text' }
import state from './old/state.js' with { type: 'text' }
import style from './old/style.css' with { type: 'text' }
import tables from './old/tables.css' with { type: 'text' }
import views from './old/views.js' with { type: 'text' }
import { SearchView } from './search-view.tsx'
import { Connect, Data, KeyForm, State } from './sections.tsx'
import { touchIcon } from './touch-icon.ts'

const icon = `data:image/svg+xml,${encodeURIComponent(drawing.trim())}`

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
      'style.css': {
        type: 'text/css; charset=utf-8',
        body: style + headerStyle + search + answer + stateStyle + kept + tables,
      },
      'app.webmanifest': { type: 'application/manifest+json', body: JSON.stringify(manifest) },
      'main.js': script(main),
      'api.js': script(api),
      'ask.js': script(ask),
      'chart.js': script(chart),
      'connect.js': script(connect),
      'dom.js': script(dom),
      'evidence.js': script(evidence),
      'exchange.js': script(exchange),
      'icon.svg': { type: 'image/svg+xml', body: drawing },
      'icon.png': { type: 'image/png', body: Uint8Array.from(atob(touchIcon), (letter) => letter.charCodeAt(0)) },
      'jobs.js': script(jobs),
      'memory.js': script(memory),
      'receipts.js': script(receipts),
      'rendering.js': script(rendering),
      'requests.js': script(requests),
      'sign-in.js': script(signIn),
      'state.js': script(state),
      'views.js': script(views),
    },
  }
}

/** What a phone needs to install the page, and to share to it. Its addresses are relative to `/page/`. */
const manifest = {
  name: 'claude-search-proxy',
  short_name: 'csp',
  start_url: '../',
  scope: '../',
  display: 'standalone',
  background_color: '#faf9f6',
  theme_color: '#faf9f6',
  icons: [{ src: 'icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any maskable' }],
  share_target: { action: '../', method: 'GET', params: { title: 'title', text: 'q', url: 'url' } },
}

function script(text: string): PageFile {
  return { type: 'text/javascript; charset=utf-8', body: text }
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
        <link rel="stylesheet" href="page/style.css" />
        <script type="module" src="page/main.js" />
      </head>
      <body
        data-refresh={refreshSeconds}
        data-needs-key={String(visitor.needsKey)}
        data-is-direct={String(visitor.isDirect)}
      >
        <a class="skip" href="#question">
          Skip to the question
        </a>
        <header>
          <h1>
            <img src={icon} alt="" width="20" height="20" /> <span>claude-search-proxy</span>
          </h1>
          {visitor.notice && <span class="badge warning">{visitor.notice}</span>}
          <nav aria-label="Views">
            <a href="#search" aria-current="page">
              Search
            </a>
            <a href="#state">
              State{' '}
              <span id="status" role="status">
                <span class="badge">…</span>
              </span>
            </a>
            <a href="#clients">Clients</a>
            <a href="#data">Data</a>
            <a href="openapi.json">API</a>
          </nav>
          <button type="button" id="change-key" class="link" hidden>
            Change key
          </button>
        </header>
        <main>
          <noscript>
            <p class="notice">This page needs JavaScript to search. The configurations below work without it.</p>
          </noscript>
          <KeyForm />
          <SearchView />
          <State />
          <section aria-labelledby="requests-title" data-view="state">
            <h2 id="requests-title">Last requests</h2>
            <div id="requests" class="panel">
              <p class="quiet">Asking…</p>
            </div>
          </section>
          <Data />
          <Connect visitor={visitor} />
          <div id="evidence" role="tooltip" hidden />
        </main>
      </body>
    </html>
  )
}
