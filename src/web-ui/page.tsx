/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { FrontPage, PageFile, Visitor } from '../api/endpoints/own-parts.ts'
import answer from './browser/answer.css' with { type: 'text' }
import api from './browser/api.js' with { type: 'text' }
import ask from './browser/ask.js' with { type: 'text' }
import chart from './browser/chart.js' with { type: 'text' }
import connect from './browser/connect.js' with { type: 'text' }
import dom from './browser/dom.js' with { type: 'text' }
import evidence from './browser/evidence.js' with { type: 'text' }
import drawing from './browser/icon.svg' with { type: 'text' }
import jobs from './browser/jobs.js' with { type: 'text' }
import kept from './browser/kept.css' with { type: 'text' }
import main from './browser/main.js' with { type: 'text' }
import memory from './browser/memory.js' with { type: 'text' }
import receipts from './browser/receipts.js' with { type: 'text' }
import referenceStyle from './browser/reference.css' with { type: 'text' }
import reference from './browser/reference.js' with { type: 'text' }
import rendering from './browser/rendering.js' with { type: 'text' }
import requests from './browser/requests.js' with { type: 'text' }
import search from './browser/search.css' with { type: 'text' }
import signIn from './browser/sign-in.js' with { type: 'text' }
import stateStyle from './browser/state.css' with { type: 'text' }
import state from './browser/state.js' with { type: 'text' }
import style from './browser/style.css' with { type: 'text' }
import tables from './browser/tables.css' with { type: 'text' }
import { Kept } from './kept.tsx'
import { Reference } from './reference.tsx'
import { Connect, KeyForm, SearchSection, State } from './sections.tsx'

const icon = `data:image/svg+xml,${encodeURIComponent(drawing.trim())}`

/** Creates the page for people. Its script asks this server for its state every `refreshSeconds`. */
export function createPage(refreshSeconds = 5): FrontPage {
  return {
    markup: (visitor) => `<!doctype html>${String(<Document visitor={visitor} refreshSeconds={refreshSeconds} />)}`,
    reference: (document) => `<!doctype html>${String(<Reference document={document} icon={icon} />)}`,
    files: {
      'style.css': {
        type: 'text/css; charset=utf-8',
        text: style + search + answer + stateStyle + kept + tables + referenceStyle,
      },
      'main.js': script(main),
      'api.js': script(api),
      'ask.js': script(ask),
      'chart.js': script(chart),
      'connect.js': script(connect),
      'dom.js': script(dom),
      'evidence.js': script(evidence),
      'jobs.js': script(jobs),
      'memory.js': script(memory),
      'receipts.js': script(receipts),
      'reference.js': script(reference),
      'rendering.js': script(rendering),
      'requests.js': script(requests),
      'sign-in.js': script(signIn),
      'state.js': script(state),
    },
  }
}

function script(text: string): PageFile {
  return { type: 'text/javascript; charset=utf-8', text }
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
            <img src={icon} alt="" width="20" height="20" /> claude-search-proxy
          </h1>
          <p id="status" role="status">
            <span class="badge">…</span>
          </p>
          <button type="button" id="change-key" class="link" hidden>
            Change key
          </button>
          <a href="docs">API</a>
        </header>
        <main>
          <noscript>
            <p class="notice">This page needs JavaScript to search. The configurations below work without it.</p>
          </noscript>
          <KeyForm />
          <SearchSection />
          <State />
          <section aria-labelledby="jobs-title" id="jobs" hidden>
            <h2 id="jobs-title">In the background</h2>
            <dl id="job-rows" class="rows panel" />
          </section>
          <Kept />
          <section aria-labelledby="requests-title">
            <h2 id="requests-title">Last requests</h2>
            <div id="requests" class="panel">
              <p class="quiet">Asking…</p>
            </div>
          </section>
          <Connect visitor={visitor} />
          <div id="evidence" role="tooltip" hidden />
        </main>
      </body>
    </html>
  )
}
