// The keys of this csp: how much of its limits each has used, and when it was last used.

import { Fragment } from 'preact'
import { Bar, CopyButton, Notice, PageHead } from '../parts.tsx'
import { type Limit, server } from '../server.ts'
import { useStore } from '../store.ts'
import { ago } from '../words.ts'

export function KeysView() {
  const { usage, wantsKey } = useStore(server)
  const keys = usage?.keys ?? []
  return (
    <div class="wide">
      <PageHead title="Keys">
        On its own computer csp needs no key until there is one. Other devices need one each; all are yours, and none is
        for other people.
      </PageHead>
      <h2 class="vh">All keys</h2>
      {!usage && !wantsKey && <div class="card waiting" aria-busy="true" />}
      {usage && keys.length === 0 && (
        <Notice kind="quiet" icon="key" title="No key yet">
          Programs on this computer reach csp without one. From the first key on, each of them needs one, too.
        </Notice>
      )}
      {keys.length > 0 && (
        <div class="rows">
          {keys.map(({ name, last_used: used }) => {
            const limits = usage?.limits?.filter(({ key }) => key === name) ?? []
            return (
              <div key={name} class="kv">
                <b>{name}</b>
                {limits.length === 0 && <span class="soft tiny b none">No limit of its own</span>}
                {limits.map((limit) => (
                  <Fragment key={`${limit.kind} ${limit.window}`}>
                    <span class="num">{inWords(limit)}</span>
                    <span class="b">
                      <Bar used={limit.limit > 0 ? limit.used / limit.limit : 1} />
                    </span>
                  </Fragment>
                ))}
                <span class="soft tiny c">{used === null ? 'not used lately' : `used ${ago(used)}`}</span>
              </div>
            )
          })}
        </div>
      )}
      <section class="block" aria-labelledby="add">
        <h2 id="add">Add a device</h2>
        <div class="card">
          <div class="cmd">
            <span>csp keys add NAME</span>
            <CopyButton size="sm" text={() => 'csp keys add phone'} />
          </div>
          <p class="soft small after">
            Run it in a terminal on csp’s computer. It shows a QR code that opens this page with the key. csp keeps only
            a hash of it. <code>csp keys remove NAME</code> takes a key back.
          </p>
        </div>
      </section>
    </div>
  )
}

function inWords({ used, limit, window, kind }: Limit): string {
  return `${used.toLocaleString()} of ${limit.toLocaleString()} ${kind} this ${window}`
}
