/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */

/** The thread of questions and answers, the box below it, and what was asked earlier. */
export function SearchView() {
  return (
    <section aria-labelledby="search-title" data-view="search" class="current">
      <h2 id="search-title" class="hidden">
        Search
      </h2>
      <div id="thread" />
      <template id="exchange">
        <Exchange />
      </template>
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
          <button type="button" id="new-question" class="plain" aria-label="New question" hidden>
            New
          </button>
          <button type="submit" id="submit">
            Search
          </button>
          <button type="button" id="stop" class="plain" hidden>
            Stop
          </button>
        </div>
      </form>
      <div id="below" class="asking">
        <div class="sign-in-place">
          <SignInPanel />
        </div>
        <ul id="examples" aria-label="Examples">
          {examples.map((text) => (
            <li>
              <button type="button" class="plain">
                {text}
              </button>
            </li>
          ))}
        </ul>
        <Earlier />
      </div>
    </section>
  )
}

/** One question with what came of it. The script fills in copies of it. */
function Exchange() {
  return (
    <section class="exchange">
      <h3 class="asked">Question</h3>
      <div class="working">
        <ol class="steps" aria-hidden="true" hidden>
          <li>Search</li>
          <li>Read</li>
          <li>Write</li>
        </ol>
        <p class="progress quiet" role="status" />
        <p class="checked" />
      </div>
      <div class="failure notice" role="alert" hidden />
      <div class="result" hidden>
        <div>
          <div class="answer" aria-live="polite" />
          <div class="line actions" hidden>
            <button type="button" class="plain copy">
              Copy
            </button>
            <button type="button" class="plain receipt" hidden>
              Save receipt
            </button>
            <button type="button" class="plain again" title="Skip the answer cache">
              Search again
            </button>
          </div>
        </div>
        <aside aria-label="Results">
          <h4>Results</h4>
          <ol class="sources" />
        </aside>
      </div>
    </section>
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

/** Questions with a receipt, asked for when they are opened. */
function Earlier() {
  return (
    <details id="receipts">
      <summary>Earlier questions</summary>
      <div class="inside">
        <label class="hidden" for="receipt-filter">
          Show questions with
        </label>
        <input id="receipt-filter" type="search" placeholder="Show questions with …" autocomplete="off" hidden />
        <div id="receipt-rows" />
        <p id="receipts-note" class="quiet" role="status" />
        <button type="button" id="more-receipts" class="plain" hidden>
          Show older ones
        </button>
      </div>
    </details>
  )
}

const examples = [
  'What is new in the latest release of TypeScript?',
  'How do heat pumps work in cold climates?',
  'Which comets can be seen this year?',
]
