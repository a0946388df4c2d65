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

/** One line that says how csp is, the limits as bars, and everything else folded away. */
export function State() {
  return (
    <section aria-labelledby="state-title" data-view="state">
      <h2 id="state-title">State</h2>
      <div id="state" class="panel asking">
        <p id="state-line">Asking…</p>
        <div class="sign-in-place" />
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

/** What csp keeps: its jobs, and the pages that searches have found. */
export function Data() {
  return (
    <section aria-labelledby="memory-title" data-view="data">
      <div id="jobs" hidden>
        <h2>In the background</h2>
        <dl id="job-rows" class="rows panel" />
      </div>
      <h2 id="memory-title">Memory</h2>
      <div id="memory" class="panel">
        <p id="memory-size" role="status" />
        <form id="recall" hidden>
          <label class="hidden" for="recall-query">
            Words on the pages
          </label>
          <div class="line">
            <input
              id="recall-query"
              type="search"
              placeholder="Words on the pages"
              autocomplete="off"
              maxlength={1000}
              required
            />
            <button type="submit" class="plain">
              Recall
            </button>
          </div>
        </form>
        <p id="memory-note" class="quiet" role="status" />
        <ol id="recalled" class="sources" />
        <button type="button" id="forget-all" class="link bad" hidden>
          Forget every page
        </button>
      </div>
    </section>
  )
}

/** What goes into the configuration of each client. */
export function Connect({ visitor: { url, needsKey } }: { visitor: Visitor }) {
  return (
    <section aria-labelledby="connect-title" id="connect" data-view="clients" data-url={url}>
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
