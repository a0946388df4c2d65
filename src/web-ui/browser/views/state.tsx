// How csp is, in plain words: what works, what is used up, what is slow and why, and the last requests.

import { useEffect, useState } from 'preact/hooks'
import { json, messageOf } from '../api.ts'
import { Icon } from '../icons.tsx'
import { Button, CopyButton, Gauge, Notice, PageHead, Said, Tag } from '../parts.tsx'
import { type HealthRow, refresh, type Server, server } from '../server.ts'
import { SignIn } from '../sign-in.tsx'
import { useStore } from '../store.ts'
import { clock, count, every, fromNow } from '../words.ts'
import { RequestRow } from './request-row.tsx'
import { capital, type Requests, whatWasSlow } from './requests.ts'
import { Speed } from './speed.tsx'

export function StateView() {
  const state = useStore(server)
  const { health } = state
  const [found, setFound] = useState<Requests>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    if (!health?.rows) return
    let isWanted = true
    json<Requests>('v1/requests').then(
      (reply) => {
        if (!isWanted) return
        setFound(reply)
        setProblem('')
      },
      (error) => isWanted && setProblem(messageOf(error)),
    )
    return () => {
      isWanted = false
    }
  }, [health])
  return (
    <div class="wide">
      <PageHead title="State">Asked again {every(Number(document.body.dataset['refresh']), 'second')}.</PageHead>
      <h2 class="vh">Now</h2>
      <Verdict state={state} />
      <Troubles state={state} />
      {health?.rows && (
        <>
          <Plan state={state} />
          {found && <SpeedToday found={found} />}
          <LastRequests found={found} problem={problem} />
          <AllParts rows={health.rows} />
        </>
      )}
    </div>
  )
}

/** One sentence, and one button. */
function Verdict({ state: { health, goneSince } }: { state: Server }) {
  const check = (
    <Button icon="activity" onClick={() => void refresh(true)}>
      Check again
    </Button>
  )
  if (goneSince)
    return (
      <Notice
        icon="failed"
        title={`csp does not answer since ${clock(goneSince.getTime())}`}
        buttons={
          <>
            <CopyButton text={() => 'csp start'} label="Copy “csp start”" />
            <Button onClick={() => void refresh(true)}>Try now</Button>
          </>
        }
      >
        Start it on its computer. This page keeps asking; the rest is how it was.
      </Notice>
    )
  if (!health) return <div class="card verdict waiting" aria-busy="true" />
  const { searches, status, rows = [] } = health
  if (searches?.status === 'signed-out') return <SignIn />
  const isGood = status === 'ok' && searches?.status !== 'limited'
  const open = rows.slice(1).filter(({ level }) => level !== 'ok').length
  const title = isGood ? 'Searches work' : searches?.status === 'limited' ? 'No new searches now' : capital(status)
  const running = /Running for [^.]+\./.exec(rows[0]?.text ?? '')?.[0] ?? ''
  return (
    <div class={`card verdict ${isGood ? '' : status === 'down' ? 'bad' : 'look'}`}>
      <span class="big">
        <Icon name={isGood ? 'check' : 'alert'} />
      </span>
      <div role="status">
        <h2>{title}</h2>
        <p>
          {isGood && open === 0 ? (
            'Nothing needs your attention.'
          ) : (
            <Said text={searches?.text ?? health.problem ?? ''} />
          )}{' '}
          {searches?.until && `They work again ${fromNow(searches.until)}.`} {running}
        </p>
      </div>
      {check}
    </div>
  )
}

function Troubles({ state: { health, goneSince } }: { state: Server }) {
  if (goneSince || !health?.rows) return null
  const rows = health.rows.slice(1).filter(({ level, action }) => level !== 'ok' && action === undefined)
  return (
    <>
      {rows.map(({ name, level, text, details = [], when }) => (
        <Notice key={name} kind={level === 'bad' ? 'bad' : 'look'} icon="alert" title={capital(name)}>
          <Said text={text} />
          {when && ` ${when.label} at ${clock(when.at)}.`}
          {details.map((each) => (
            <span key={each} class="more">
              <Said text={each} />
            </span>
          ))}
        </Notice>
      ))}
    </>
  )
}

function Plan({ state: { health, usage } }: { state: Server }) {
  const rows = health?.rows?.filter(({ used }) => used !== undefined) ?? []
  const limits = usage?.limits ?? []
  const reserves = new Map(health?.backends?.map(({ name, plan }) => [name, plan?.reserve]))
  if (rows.length === 0 && limits.length === 0) return null
  const kept = Math.max(0, ...[...reserves.values()].map((each) => each ?? 0))
  return (
    <section class="block" aria-labelledby="plan">
      <h2 id="plan">Your plan</h2>
      <div class="gauges">
        {rows.map(({ name, used = 0, when, text }) => (
          <Gauge key={name} label={capital(name)} used={used} kept={reserves.get(name.split(' ')[0] ?? '')}>
            {when ? `${when.label} at ${clock(when.at)}, ${fromNow(when.at)}` : <Said text={text} />}
          </Gauge>
        ))}
        {limits.map(({ key, kind, window, limit, used, resets_at }) => (
          <Gauge
            key={`${key} ${kind} ${window}`}
            label={`${capital(kind)} this ${window}${key ? `, key “${key}”` : ''}`}
            used={limit > 0 ? used / limit : 1}
          >
            {used.toLocaleString()} of {limit.toLocaleString()}. Resets {fromNow(resets_at)}.
          </Gauge>
        ))}
      </div>
      {kept > 0 && (
        <p class="legend">
          <span>
            <i class="kept" />
            The last {Math.round(kept * 100)}% of each Claude limit is kept for you.
          </span>
        </p>
      )}
    </section>
  )
}

function SpeedToday({ found }: { found: Requests }) {
  const { usual } = found
  if (usual.length === 0) return null
  const slow = whatWasSlow(found, Date.now())
  const all = usual.reduce((sum, each) => sum + each.count, 0)
  return (
    <section class="block" aria-labelledby="speed">
      <h2 id="speed">
        Speed today <small>usual time of each kind, {count(all, 'request')}</small>
      </h2>
      <Speed usual={usual} />
      {slow && (
        <Notice kind="look" icon="clock" title={slow.title}>
          {slow.why}
        </Notice>
      )}
    </section>
  )
}

function LastRequests({ found, problem }: { found: Requests | undefined; problem: string }) {
  const [shown, setShown] = useState(10)
  const requests = found?.requests ?? []
  const more = requests.length - shown
  return (
    <section class="block" aria-labelledby="last">
      <h2 id="last">
        Last requests <small>what was asked is never kept here</small>
      </h2>
      {problem && (
        <Notice icon="alert" title="They cannot be shown">
          {problem}
        </Notice>
      )}
      {found && requests.length === 0 && (
        <Notice kind="quiet" icon="activity" title="Nothing was asked since csp started">
          Ask a question, or connect a program: its requests appear here.
        </Notice>
      )}
      {requests.length > 0 && (
        <div class="rows">
          {requests.slice(0, shown).map((request) => (
            <RequestRow key={request.id} request={request} />
          ))}
        </div>
      )}
      {more > 0 && (
        <p class="after">
          <Button onClick={() => setShown(requests.length)}>Show {more} more</Button>
        </p>
      )}
    </section>
  )
}

/** What a person needs who looks for a fault. */
function AllParts({ rows }: { rows: readonly HealthRow[] }) {
  return (
    <details class="block parts">
      <summary>All parts of csp</summary>
      <dl class="rows">
        {rows.map(({ name, level, text, details = [] }) => (
          <div key={name} class="part">
            <dt>
              {capital(name)}{' '}
              {level !== 'ok' && (
                <Tag kind={level === 'bad' ? 'bad' : 'look'}>{level === 'bad' ? 'Problem' : 'Look'}</Tag>
              )}
            </dt>
            <dd>
              <Said text={text} />
              {details.map((each) => (
                <span key={each} class="more">
                  <Said text={each} />
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
