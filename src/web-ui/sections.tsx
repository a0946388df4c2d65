/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { Visitor } from '../api/endpoints/own-parts.ts'
import { clientSnippets } from '../clients/snippets.ts'

/** Asks for a key where one is required. */
export function KeyForm() {
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
function SignInPanel() {
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

/** One line that says how csp is, the limits as bars, and everything else folded away. */
export function State() {
  return (
    <section aria-labelledby="state-title">
      <h2 id="state-title">State</h2>
      <div id="state" class="panel asking">
        <p id="state-line">Asking…</p>
        <SignInPanel />
        <dl id="troubles" class="rows" />
        <div id="gauges" />
        <details id="state-rest" hidden>
          <summary>All parts</summary>
          <dl id="rows" class="rows" />
        </details>
      </div>
    </section>
  )
}

/** The question, and below it the answer with its sources. */
export function SearchSection() {
  return (
    <section aria-labelledby="search-title">
      <h2 id="search-title" class="hidden">
        Search
      </h2>
      <form id="ask">
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
        <div class="line">
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
          <button type="button" id="stop" class="plain" hidden>
            Stop
          </button>
        </div>
      </form>
      <div id="stage">
        <div id="examples">
          <ul aria-label="Examples">
            {examples.map((text) => (
              <li>
                <button type="button" class="plain">
                  {text}
                </button>
              </li>
            ))}
          </ul>
        </div>
        <div id="working">
          <ol id="steps" aria-hidden="true" hidden>
            <li>Search</li>
            <li>Read</li>
            <li>Write</li>
          </ol>
          <p id="progress" class="quiet" role="status" />
        </div>
        <div id="failure" class="notice" role="alert" hidden />
        <div id="result" hidden>
          <div>
            <article id="answer" aria-label="Answer" aria-live="polite" />
            <p id="checked" class="quiet" />
            <button type="button" id="again" class="plain" title="Past the cache of answers" hidden>
              Search again
            </button>
          </div>
          <aside aria-labelledby="sources-title">
            <h3 id="sources-title">Results</h3>
            <ol id="sources" class="sources" />
          </aside>
        </div>
      </div>
    </section>
  )
}

/** What goes into the configuration of each client. */
export function Connect({ visitor: { url, needsKey } }: { visitor: Visitor }) {
  return (
    <section aria-labelledby="connect-title" id="connect" data-url={url}>
      <h2 id="connect-title">Connect a client</h2>
      <p class="quiet">
        Programs: pick one, and copy what goes into its configuration. A phone: <code>csp keys add phone</code> shows a
        QR code that opens this page with a key of its own.
      </p>
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
      <p id="copied" class="hidden" role="status" />
    </section>
  )
}

const examples = [
  'What is new in the latest release of TypeScript?',
  'How do heat pumps work in cold climates?',
  'Which comets can be seen this year?',
]
