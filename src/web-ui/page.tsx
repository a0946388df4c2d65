/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { FrontPage, PageFile, Visitor } from '../api/endpoints/front-page.ts'
import { clientSnippets } from '../clients/snippets.ts'
import api from './browser/api.js' with { type: 'text' }
import ask from './browser/ask.js' with { type: 'text' }
import connect from './browser/connect.js' with { type: 'text' }
import dom from './browser/dom.js' with { type: 'text' }
import main from './browser/main.js' with { type: 'text' }
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
import { Reference } from './reference.tsx'

/** Creates the page for people. Its script asks this server for its state every `refreshSeconds`. */
export function createPage(refreshSeconds = 5): FrontPage {
  return {
    markup: (visitor) => `<!doctype html>${String(<Document visitor={visitor} refreshSeconds={refreshSeconds} />)}`,
    reference: (document) => `<!doctype html>${String(<Reference document={document} icon={icon} />)}`,
    files: {
      'style.css': { type: 'text/css; charset=utf-8', text: style + search + stateStyle + tables + referenceStyle },
      'main.js': script(main),
      'api.js': script(api),
      'ask.js': script(ask),
      'connect.js': script(connect),
      'dom.js': script(dom),
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
          <h1>claude-search-proxy</h1>
          <p id="status" role="status">
            <span class="badge">…</span>
          </p>
          <button type="button" id="change-key" class="plain" hidden>
            Change key
          </button>
          <a href="docs">API</a>
        </header>
        <main>
          <noscript>
            <p class="notice">This page needs JavaScript to search. The configurations below work without it.</p>
          </noscript>
          <KeyForm />
          <Search />
          <section aria-labelledby="state-title">
            <h2 id="state-title">State</h2>
            <div id="state">
              <p id="state-line">Asking…</p>
              <SignIn />
              <dl id="troubles" class="rows" />
              <details id="state-rest" hidden>
                <summary>All parts</summary>
                <dl id="rows" class="rows" />
              </details>
            </div>
          </section>
          <section aria-labelledby="requests-title">
            <h2 id="requests-title">Last requests</h2>
            <div id="requests">
              <p class="quiet">Asking…</p>
            </div>
          </section>
          <Connect visitor={visitor} />
        </main>
      </body>
    </html>
  )
}

function KeyForm() {
  return (
    <form id="key-form" class="card" hidden>
      <label for="key">This csp requires a key</label>
      <div class="line">
        <input id="key" type="password" autocomplete="off" spellcheck={false} aria-describedby="key-note" required />
        <button type="submit">Use this key</button>
      </div>
      <p id="key-note" class="quiet" role="status">
        It stays in this tab, until you close it. <code>csp keys add NAME</code> makes one.
      </p>
      <label class="choice">
        <input id="remember" type="checkbox" /> Remember on this device
      </label>
    </form>
  )
}

/** Shown while Claude is signed out. */
function SignIn() {
  return (
    <section id="sign-in" class="card" aria-labelledby="sign-in-title" hidden>
      <h3 id="sign-in-title">Claude has no login</h3>
      <p>
        Sign in here with your Claude account. csp starts the login of the Claude Code CLI and passes your code on to
        it; the login itself stays with the CLI.
      </p>
      <div id="sign-in-steps" hidden>
        <p>
          1. Open{' '}
          <a id="sign-in-link" target="_blank" rel="noopener noreferrer" href="#sign-in">
            Claude’s sign-in page
          </a>{' '}
          on any device, and allow the access. It then shows a code.
        </p>
        <form id="code-form">
          <label for="code">2. Paste the code</label>
          <div class="line">
            <input id="code" autocomplete="off" spellcheck={false} maxlength={4096} required />
            <button type="submit">Send</button>
          </div>
        </form>
      </div>
      <p id="sign-in-note" role="status" />
      <div class="line">
        <button type="button" id="sign-in-start">
          Sign in
        </button>
        <button type="button" id="sign-in-cancel" class="plain" hidden>
          Cancel
        </button>
      </div>
      <p class="quiet">
        In a terminal there: <code>csp login</code>. Where no login can be kept, make a token on another machine with{' '}
        <code>csp login --token</code>, and start csp with it as <code>CLAUDE_CODE_OAUTH_TOKEN</code>.
      </p>
    </section>
  )
}

function Search() {
  return (
    <section aria-labelledby="search-title">
      <h2 id="search-title" class="hidden">
        Search
      </h2>
      <form id="ask" class="line">
        <label class="hidden" for="question">
          Question
        </label>
        <input
          id="question"
          type="search"
          placeholder="What do you want to know?"
          autocomplete="off"
          maxlength={2000}
          required
        />
        <label class="hidden" for="effort">
          Effort
        </label>
        <select id="effort">
          <option value="sonar">Fast</option>
          <option value="sonar-pro" selected>
            Standard
          </option>
          <option value="sonar-reasoning-pro">Deep</option>
        </select>
        <button type="submit" id="submit">
          Search
        </button>
        <button type="button" id="stop" hidden>
          Stop
        </button>
      </form>
      <div id="stage">
        <div id="examples">
          <p class="quiet">For example:</p>
          <ul>
            {examples.map((text) => (
              <li>
                <button type="button" class="plain">
                  {text}
                </button>
              </li>
            ))}
          </ul>
        </div>
        <p id="progress" class="quiet" role="status" />
        <div id="failure" class="notice" role="alert" hidden />
        <div id="result" hidden>
          <article id="answer" aria-label="Answer" aria-live="polite" />
          <aside aria-labelledby="sources-title">
            <h3 id="sources-title">Results</h3>
            <ol id="sources" />
          </aside>
        </div>
        <button type="button" id="again" class="plain" hidden>
          Search again, past the cache
        </button>
      </div>
    </section>
  )
}

function Connect({ visitor: { url, needsKey } }: { visitor: Visitor }) {
  return (
    <section aria-labelledby="connect-title" id="connect" data-url={url}>
      <h2 id="connect-title">Connect a client</h2>
      <label class="hidden" for="client-filter">
        Show clients with
      </label>
      <input id="client-filter" type="search" placeholder="Show clients with …" autocomplete="off" />
      {clientSnippets({ url, key: needsKey ? 'YOUR-KEY' : undefined }).map(({ title, snippets }) => (
        <div class="group">
          <h3>{title}</h3>
          {snippets.map(({ client, place, text }) => (
            <details name="client">
              <summary>{client}</summary>
              <p class="quiet">{place}</p>
              <div class="snippet">
                <pre tabindex={0}>{text}</pre>
                <button type="button" class="plain" aria-label={`Copy the configuration for ${client}`}>
                  Copy
                </button>
              </div>
            </details>
          ))}
        </div>
      ))}
      <p id="no-client" class="quiet" role="status" />
    </section>
  )
}

const examples = [
  'What is new in the latest release of TypeScript?',
  'How do heat pumps work in cold climates?',
  'Which comets can be seen this year?',
]

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='7' cy='7' r='4.5' fill='none' stroke='%23c2562d' stroke-width='2'/%3E%3Cpath d='m10.5 10.5 4 4' stroke='%23c2562d' stroke-width='2' stroke-linecap='round'/%3E%3C/svg%3E"
