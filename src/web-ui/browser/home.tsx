// The first view: what this is, the box to ask in, how csp is, and what was asked before.

import { Ask } from './ask.tsx'
import { Icon } from './icons.tsx'
import { Button, Notice } from './parts.tsx'
import { recent } from './recent.ts'
import { go } from './route.ts'
import { type Health, type Server, server } from './server.ts'
import { SignIn } from './sign-in.tsx'
import { useStore } from './store.ts'
import { ask } from './thread.ts'
import { QuestionRow } from './views/question-row.tsx'
import { clock, count, fromNow } from './words.ts'

const suggestions = [
  'What is new in the latest release of TypeScript?',
  'How do heat pumps work in cold climates?',
  'Check a claim: “Honey never spoils”',
]

/** What the sandbox has pages about. */
const sandboxSuggestions = [
  'How do honey bees dance?',
  'What does the WAL of SQLite do?',
  'At what pressure is espresso brewed?',
]

export function Home() {
  const state = useStore(server)
  return (
    <div class="home">
      <h1>Ask the web, and check every sentence</h1>
      <p class="lead">
        Claude searches from this computer on your own subscription. Each sentence is compared with the pages it cites.
      </p>
      <Ask />
      <StateLine state={state} />
      <Recent />
      <section class="try">
        <h2>Try</h2>
        <ul class="sugg">
          {(state.health?.sandbox ? sandboxSuggestions : suggestions).map((text) => (
            <li key={text}>
              <button type="button" onClick={() => ask(text, 'sonar-pro')}>
                <Icon name="corner" />
                {text}
              </button>
            </li>
          ))}
          <li>
            <a href="#clients">
              <Icon name="plug" />
              Let Cursor search through csp
            </a>
          </li>
        </ul>
      </section>
    </div>
  )
}

/** One line where searches work, a notice with its cure where they do not. */
function StateLine({ state }: { state: Server }) {
  const { health, goneSince } = state
  if (goneSince)
    return (
      <p class="stateline" role="status">
        <span class="dot bad" />
        <span>
          <b>csp does not answer since {clock(goneSince.getTime())}.</b> This page keeps trying. Start it with{' '}
          <code>csp start</code>.
        </span>
      </p>
    )
  if (!health) return <p class="stateline">Asking how csp is…</p>
  if (health.searches?.status === 'signed-out' || health.rows?.some(({ action }) => action === 'sign-in'))
    return <SignIn />
  if (health.searches?.status === 'limited') return <Limited health={health} />
  const works = health.status === 'ok'
  const worst = health.rows?.slice(1).find(({ level }) => level !== 'ok')
  return (
    <p class="stateline" role="status">
      <span class={`dot ${works ? '' : health.status === 'down' ? 'bad' : 'look'}`} />
      <span>
        <b>{works ? 'Searches work.' : health.status === 'down' ? 'Searches do not work.' : 'Not everything works.'}</b>{' '}
        {works ? limitsInWords(state) : worst ? `${worst.name}: ${worst.text.replaceAll('`', '')} ` : health.problem}{' '}
        {!works && <a href="#state">Show what is wrong</a>}
      </span>
    </p>
  )
}

function Limited({ health }: { health: Health }) {
  const pages = health.memory?.pages ?? 0
  const until = health.searches?.until
  return (
    <Notice
      kind="look"
      icon="gauge"
      title={`No new searches${until ? ` until ${clock(until)}` : ''}`}
      buttons={
        <>
          {pages > 0 && (
            <Button kind="main" onClick={() => go('data')}>
              Look in the read pages
            </Button>
          )}
          <Button onClick={() => go('state')}>Show the limits</Button>
        </>
      }
    >
      {health.searches?.text} {until && `They work again ${fromNow(until)}.`}
    </Notice>
  )
}

/** `38% of your 5-hour limit used, resets at 14:00. 112 of 500 searches today.` */
function limitsInWords({ health, usage }: Server): string {
  const plan = health?.rows?.find(({ used, name }) => used !== undefined && / limit$/.test(name))
  const own = usage?.limits?.find(({ kind, window }) => kind === 'searches' && window === 'day')
  const parts = [
    plan &&
      `${Math.round((plan.used ?? 0) * 100)}% of your ${plan.name.replace(/^\S+ /, '')} used${plan.when ? `, resets at ${clock(plan.when.at)}` : ''}.`,
    own && `${own.used} of ${count(own.limit, 'search', 'searches')} today.`,
  ]
  return parts.filter(Boolean).join(' ')
}

function Recent() {
  const rows = useStore(recent).slice(0, 3)
  if (rows.length === 0) return null
  return (
    <section class="two">
      <h2>
        Recent{' '}
        <a class="small" href="#earlier">
          All questions
        </a>
      </h2>
      <div class="rows">
        {rows.map((row) => (
          <QuestionRow key={row.id} row={row} />
        ))}
      </div>
    </section>
  )
}
