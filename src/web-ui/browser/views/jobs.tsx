// What is answered in the background. A row opens the answer.

import { useEffect, useState } from 'preact/hooks'
import { call, failureOf, json, messageOf } from '../api.ts'
import { Icon, type IconName } from '../icons.tsx'
import { Button, Notice } from '../parts.tsx'
import { server } from '../server.ts'
import { useStore } from '../store.ts'
import { ago, span } from '../words.ts'
import { capital } from './requests.ts'

interface JobRow {
  readonly id: string
  readonly vendor: string
  readonly kind: string
  readonly status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'
  readonly question: string
  readonly created_at: string
  readonly ended_at: string | null
  readonly error: { readonly message: string } | null
}

const icons: Readonly<Record<JobRow['status'], readonly [IconName, string]>> = {
  queued: ['clock', 'soft'],
  running: ['arc', 'busy'],
  completed: ['done', 'good'],
  failed: ['failed', 'bad'],
  cancelled: ['stop', 'soft'],
}

export function Jobs({ onKnown }: { onKnown: () => void }) {
  const { health, turn } = useStore(server)
  const [jobs, setJobs] = useState<readonly JobRow[]>()
  const [problem, setProblem] = useState('')
  const [changes, setChanges] = useState(0)
  useEffect(() => {
    let isWanted = true
    json<{ data: readonly JobRow[] }>('v1/jobs').then(
      ({ data }) => {
        if (!isWanted) return
        setJobs(data)
        setProblem('')
        onKnown()
      },
      (error) => {
        if (!isWanted) return
        setProblem(messageOf(error))
        onKnown()
      },
    )
    return () => {
      isWanted = false
    }
  }, [health, turn, changes])
  const forget = async (id: string) => {
    const reply = await call(`v1/jobs/${id}`, { method: 'DELETE' })
    if (!reply.ok) setProblem((await failureOf(reply)).message)
    setChanges(changes + 1)
  }
  return (
    <section class="block" aria-labelledby="jobs">
      <h2 id="jobs">
        Jobs <small>questions answered in the background</small>
      </h2>
      {problem && (
        <Notice icon="alert" title="They cannot be shown">
          {problem}
        </Notice>
      )}
      {jobs?.length === 0 && (
        <Notice
          kind="quiet"
          icon="clock"
          title="No job yet"
          buttons={
            <a class="btn" href="#new">
              Ask for a report
            </a>
          }
        >
          A report takes minutes. You can leave this page: its answer appears here.
        </Notice>
      )}
      {jobs && jobs.length > 0 && (
        <div class="rows">
          {jobs.map((job) => (
            <Row key={job.id} job={job} onForget={forget} />
          ))}
        </div>
      )}
    </section>
  )
}

function Row({ job, onForget }: { job: JobRow; onForget: (id: string) => Promise<void> }) {
  const { id, status, question } = job
  const [icon, color] = icons[status]
  const isOver = job.ended_at !== null
  return (
    <div class="jrow">
      <span class={color}>
        <Icon name={icon} class={status === 'running' ? 'spin' : ''} />
      </span>
      <span>
        <a class="t" href={`#job=${id}`}>
          {question}
        </a>
        <br />
        <span class="m">{inWords(job)}</span>
      </span>
      <span class="line">
        {(status === 'failed' || status === 'cancelled') && (
          <a class="btn sm" href={`#${new URLSearchParams({ q: question })}`}>
            Ask again
          </a>
        )}
        <Button
          size="sm"
          kind={isOver ? 'ghost' : undefined}
          aria-label={`${isOver ? 'Delete' : 'Stop'}: ${question}`}
          onClick={() => {
            if (confirm(isOver ? 'Delete this job and its answer?' : 'Stop this job and forget it?')) void onForget(id)
          }}
        >
          {isOver ? 'Delete' : 'Stop'}
        </Button>
      </span>
    </div>
  )
}

function inWords({ kind, status, vendor, created_at: created, ended_at: ended, error }: JobRow): string {
  const how = kind === 'report' ? 'Report' : `${capital(kind)} answer`
  const seconds = Math.round(((ended ? Date.parse(ended) : Date.now()) - Date.parse(created)) / 1000)
  const by = `asked through ${capital(vendor)}’s API`
  switch (status) {
    case 'queued':
      return `${how} · waits since ${span(seconds)} · ${by}`
    case 'running':
      return `${how} · at work since ${span(seconds)} · ${by}`
    case 'completed':
      return `${how} · done ${ago(ended ?? created)} in ${span(seconds)} · ${by}`
    case 'failed':
      return `Failed ${ago(ended ?? created)}: ${error?.message ?? 'no reason is known'}`
    case 'cancelled':
      return `Stopped ${ago(ended ?? created)}`
  }
}
