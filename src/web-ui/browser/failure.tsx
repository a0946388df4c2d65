// What went wrong, in one sentence, and its cure as a button.

import { useState } from 'preact/hooks'
import { CallError, messageOf } from './api.ts'
import type { Exchange, ExchangeState } from './exchange.ts'
import { Button, CopyButton, Notice } from './parts.tsx'
import { go } from './route.ts'
import { askForKey, refresh, server } from './server.ts'
import { SignIn } from './sign-in.tsx'
import { useStore } from './store.ts'
import { askAgain, askLater, newQuestion } from './thread.ts'
import { clock, count, fromNow } from './words.ts'

interface Props {
  readonly exchange: Exchange
}

function Again({ exchange, main = false }: Props & { main?: boolean }) {
  return (
    <Button kind={main ? 'main' : undefined} onClick={() => askAgain(exchange)}>
      Ask again
    </Button>
  )
}

function Change({ exchange, main = false }: Props & { main?: boolean }) {
  return (
    <Button kind={main ? 'main' : undefined} onClick={() => newQuestion(exchange.question, exchange.model)}>
      Change the question
    </Button>
  )
}

export function Failure({ exchange, error }: Props & { error: unknown }) {
  const { status, kind, retryAt } = error instanceof CallError ? error : new CallError(0, messageOf(error), 'lost')
  const message = messageOf(error)
  if (status === 401)
    return (
      <Notice
        icon="key"
        title="csp asks for a key"
        buttons={
          <Button kind="main" onClick={askForKey}>
            Enter a key
          </Button>
        }
      >
        {message}
      </Notice>
    )
  if (kind === 'signed_out') return <SignIn message={message} />
  if (status === 429) return <LimitReached exchange={exchange} message={message} retryAt={retryAt} />
  if (status === 504)
    return (
      <Notice
        kind="look"
        icon="clock"
        title="No answer in time"
        buttons={
          <>
            {exchange.model !== 'sonar' && (
              <Button kind="main" onClick={() => askAgain(exchange, 'sonar')}>
                Try Fast
              </Button>
            )}
            <Again exchange={exchange} />
          </>
        }
      >
        {message} A fast answer needs a third of the time.
      </Notice>
    )
  if (status === 0) return <NoServer exchange={exchange} message={message} isLost={kind === 'lost'} />
  if (status === 400 || status === 422)
    return (
      <Notice icon="alert" title="csp cannot ask this" buttons={<Change exchange={exchange} main />}>
        {message}
      </Notice>
    )
  return (
    <Notice
      icon="alert"
      title={status === 503 ? 'csp cannot search now' : 'The search failed'}
      buttons={
        <>
          <Again exchange={exchange} main />
          <Button onClick={() => go('state')}>Show what is wrong</Button>
        </>
      }
    >
      {message}
    </Notice>
  )
}

function NoServer({ exchange, message, isLost }: Props & { message: string; isLost: boolean }) {
  const { goneSince } = useStore(server)
  if (isLost && !goneSince)
    return (
      <Notice icon="alert" title="The connection was lost" buttons={<Again exchange={exchange} main />}>
        {message} The text up to here is kept.
      </Notice>
    )
  return (
    <Notice
      icon="alert"
      title={goneSince ? `csp does not answer since ${clock(goneSince.getTime())}` : 'csp does not answer'}
      buttons={
        <>
          <CopyButton kind="main" label="Copy “csp start”" text={() => 'csp start'} />
          <Button
            onClick={() => {
              void refresh(true)
              askAgain(exchange)
            }}
          >
            Try now
          </Button>
        </>
      }
    >
      {message} This page keeps trying. Start csp on its computer.
    </Notice>
  )
}

/** A limit of csp's own, of a key, or of the plan: what is known already, or an answer later. */
function LimitReached({ exchange, message, retryAt }: Props & { message: string; retryAt: string | undefined }) {
  const { health } = useStore(server)
  const [problem, setProblem] = useState('')
  const until = retryAt ?? health?.searches?.until
  const pages = health?.memory?.pages ?? 0
  // An answer that has begun says it in its words alone.
  const isSoon = until ? Date.parse(until) - Date.now() < 90_000 : /Try again in \d+ s\b/.test(message)
  const isLong = until !== undefined && Date.parse(until) - Date.now() > 6 * 3_600_000
  const later = async () => {
    try {
      const id = await askLater(exchange)
      go(`job=${id}`)
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  return (
    <Notice
      kind="look"
      icon="gauge"
      title={isSoon ? 'csp is busy' : 'A limit is reached'}
      buttons={
        <>
          {isSoon || !until ? (
            <Again exchange={exchange} main />
          ) : (
            !isLong && (
              <Button kind="main" onClick={() => void later()}>
                Ask at {clock(until)}
              </Button>
            )
          )}
          {pages > 0 && <Button onClick={() => go('data')}>Look in the read pages</Button>}
          <Button onClick={() => go('state')}>Show the limits</Button>
        </>
      }
    >
      {message} {until && !isSoon && `It ends at ${clock(until)}, ${fromNow(until)}. `}
      {until && !isSoon && !isLong && 'csp can ask this question then and keep the answer for you. '}
      {pages > 0 && `csp has read ${count(pages, 'page')} already. `}
      {problem}
    </Notice>
  )
}

export function Stopped({ exchange, state }: Props & { state: ExchangeState }) {
  const { began, text } = state
  const seconds = (((began.stopped ?? 0) - (began.search ?? 0)) / 1000).toFixed(1)
  return (
    <Notice
      kind="quiet"
      icon="stop"
      title={`Stopped after ${seconds} s`}
      buttons={
        <>
          <Again exchange={exchange} main />
          <Change exchange={exchange} />
        </>
      }
    >
      {text ? 'The text up to here is kept. ' : ''}Nothing more is searched.
    </Notice>
  )
}

export function NothingFound({ exchange }: Props) {
  return (
    <Notice
      kind="quiet"
      icon="search"
      title="No page answers this"
      buttons={
        <>
          <Change exchange={exchange} main />
          {exchange.model !== 'sonar-reasoning-pro' && (
            <Button onClick={() => askAgain(exchange, 'sonar-reasoning-pro')}>Try Deep</Button>
          )}
        </>
      }
    >
      The search found no page about the question. Other words often help.
    </Notice>
  )
}
