// The pages that csp has seen: how many, a search among them, and buttons that forget them.

import { useEffect, useState } from 'preact/hooks'
import { CallError, call, failureOf, json, messageOf } from '../api.ts'
import { Icon } from '../icons.tsx'
import { Button, Notice, WebLink } from '../parts.tsx'
import { server } from '../server.ts'
import { useStore } from '../store.ts'
import { ago, count, hostOf } from '../words.ts'

interface Size {
  readonly pages: number
  readonly sites: number
  readonly bytes: number
  readonly oldest: string | null
  readonly newest: string | null
  readonly may_forget: boolean
}

interface Row {
  readonly title: string
  readonly url: string
  readonly seen_at?: string | null
}

export function Memory() {
  const { turn } = useStore(server)
  const [size, setSize] = useState<Size>()
  const [rows, setRows] = useState<readonly Row[]>()
  const [words, setWords] = useState('')
  const [said, setSaid] = useState('')
  const [problem, setProblem] = useState<unknown>()
  const [changes, setChanges] = useState(0)
  useEffect(() => {
    let isWanted = true
    json<Size>('v1/memory').then(
      (reply) => {
        if (!isWanted) return
        setSize(reply)
        setProblem(undefined)
      },
      (error) => isWanted && setProblem(error),
    )
    return () => {
      isWanted = false
    }
  }, [turn, changes])
  const look = async () => {
    if (!words.trim()) return
    setSaid('Looking…')
    try {
      const path = `v1/search?${new URLSearchParams({ q: words.trim(), count: '10' })}`
      const { results } = await json<{ results: readonly Row[] }>(path, { headers: { 'x-csp-backend': 'memory' } })
      setRows(results)
      setSaid(results.length > 0 ? '' : 'No page that csp has read fits. Try fewer words, or ask a question.')
    } catch (error) {
      setSaid(messageOf(error))
    }
  }
  const forget = async (what: string) => {
    const reply = await call(`v1/memory?${what}`, { method: 'DELETE' })
    setSaid(reply.ok ? `${count((await reply.json()).pages, 'page')} forgotten.` : (await failureOf(reply)).message)
    setRows(undefined)
    setChanges(changes + 1)
  }
  return (
    <section class="block" aria-labelledby="memory">
      <h2 id="memory">
        Memory <small>answers from here when no search is possible</small>
      </h2>
      {problem ? <Problem error={problem} /> : null}
      {size?.pages === 0 && (
        <Notice kind="quiet" icon="database" title="No page yet">
          csp keeps the pages that searches find. When no search is possible, it answers from them.
        </Notice>
      )}
      {size && size.pages > 0 && (
        <>
          <div class="gauges stats">
            <div class="card">
              <p class="soft tiny">Pages remembered</p>
              <p class="v">{size.pages.toLocaleString()}</p>
              <p class="soft tiny">
                of {count(size.sites, 'site')}, {megabytes(size.bytes)}
              </p>
            </div>
            {size.oldest && size.newest && (
              <div class="card">
                <p class="soft tiny">Last one seen</p>
                <p class="v">{ago(size.newest)}</p>
                <p class="soft tiny">the first: {ago(size.oldest)}</p>
              </div>
            )}
          </div>
          <form
            class="line after"
            onSubmit={(event) => {
              event.preventDefault()
              void look()
            }}
          >
            <label class="field grow">
              <Icon name="search" />
              <span class="vh">Words on the pages</span>
              <input
                type="search"
                placeholder="Words on the pages"
                autocomplete="off"
                maxlength={1000}
                value={words}
                onInput={({ currentTarget }) => setWords(currentTarget.value)}
              />
            </label>
            <Button type="submit">Look</Button>
          </form>
        </>
      )}
      <p class="soft after" role="status">
        {said}
      </p>
      {rows && rows.length > 0 && (
        <div class="rows">
          {rows.map(({ title, url, seen_at: seen }, index) => (
            <div key={url} class="mem">
              <span class="n">{index + 1}</span>
              <WebLink url={url} class="title">
                {title || hostOf(url)}
              </WebLink>
              {size?.may_forget && (
                <Button
                  kind="ghost"
                  size="sm"
                  class="forget"
                  aria-label={`Forget site ${hostOf(url)}`}
                  onClick={() => {
                    if (confirm(`Forget every page of ${hostOf(url)} and its subdomains?`))
                      void forget(`site=${encodeURIComponent(hostOf(url))}`)
                  }}
                >
                  Forget site
                </Button>
              )}
              <span class="soft tiny">
                {hostOf(url)}
                {seen && ` · seen ${ago(seen)}`}
              </span>
            </div>
          ))}
        </div>
      )}
      {size && size.pages > 0 && size.may_forget && (
        <p class="after">
          <Button
            kind="bad"
            icon="bin"
            onClick={() => {
              if (confirm('Forget every page that csp has read?')) void forget('all=true')
            }}
          >
            Forget all {count(size.pages, 'page')}…
          </Button>
        </p>
      )}
    </section>
  )
}

function Problem({ error }: { error: unknown }) {
  if (error instanceof CallError && error.status === 404)
    return (
      <Notice kind="look" icon="database" title="Memory is off">
        Start csp without <code>--memory off</code> to keep the pages that searches find, and to answer from them when
        no search is possible.
      </Notice>
    )
  return (
    <Notice icon="alert" title="It cannot be shown">
      {messageOf(error)}
    </Notice>
  )
}

function megabytes(bytes: number): string {
  if (bytes < 100_000) return 'less than 0.1 MB'
  return `${(bytes / 1e6).toLocaleString([], { maximumFractionDigits: 1 })} MB`
}
