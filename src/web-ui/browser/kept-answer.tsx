// An answer that csp keeps: of an earlier question by its receipt, or of a job in the background. It looks like any other.

import { useEffect, useState } from 'preact/hooks'
import { Actions } from './actions.tsx'
import { Answer } from './answer.tsx'
import { json, messageOf } from './api.ts'
import { FollowUp } from './ask.tsx'
import { Button, Notice } from './parts.tsx'
import { go } from './route.ts'
import { server } from './server.ts'
import { useStore } from './store.ts'
import { askAbout, newQuestion } from './thread.ts'
import type { SentenceEvidence, Source } from './verdict.ts'
import { ago, count, strategyName } from './words.ts'

interface Kept {
  readonly question: string
  readonly facts: readonly string[]
  readonly text: string
  readonly sources: readonly Source[]
  readonly evidence: readonly SentenceEvidence[]
  readonly receipt: string | undefined
  /** A job that has no answer yet, or will have none. */
  readonly status?: string
  readonly problem?: string | undefined
}

interface Receipt {
  readonly time: string
  readonly question: string
  readonly strategy: string
  readonly answer: string
  readonly sentences: readonly SentenceEvidence[]
  readonly sources: readonly {
    title: string
    url: string
    date?: string
    published_date?: string
    passages: readonly string[]
  }[]
}

interface Job {
  readonly status: string
  readonly kind: string
  readonly question: string
  readonly created_at: string
  readonly ended_at: string | null
  readonly error: { readonly message: string } | null
  readonly pages?: number
  readonly answer: string | null
  readonly sources?: readonly { title: string; url: string; snippet: string | null; published_date: string | null }[]
  readonly evidence?: readonly SentenceEvidence[] | null
  readonly receipt?: string | null
}

async function readReceipt(id: string): Promise<Kept> {
  const { question, strategy, time, answer, sentences, sources } = await json<Receipt>(`v1/receipts/${id}`)
  return {
    question,
    facts: [strategyName(strategy), count(sources.length, 'source'), ago(time)],
    text: answer,
    sources: sources.map(({ title, url, date, published_date, passages }) => ({
      ...{ title, url, date: date ?? published_date ?? null, snippet: passages[0] ?? null },
    })),
    evidence: sentences,
    receipt: id,
  }
}

async function readJob(id: string): Promise<Kept> {
  const job = await json<Job>(`v1/jobs/${id}`)
  const { sources = [], pages = 0 } = job
  const spent = job.ended_at ? Math.round((Date.parse(job.ended_at) - Date.parse(job.created_at)) / 1000) : undefined
  return {
    question: job.question,
    facts: [
      strategyName(job.kind),
      ...(pages > 0 ? [`${count(pages, 'page')} read`] : []),
      ...(spent === undefined ? [] : [spent < 60 ? `${spent} s` : `${Math.floor(spent / 60)} min ${spent % 60} s`]),
      ago(job.ended_at ?? job.created_at),
    ],
    text: job.answer ?? '',
    sources: sources.map(({ title, url, snippet, published_date }) => ({ title, url, snippet, date: published_date })),
    evidence: job.evidence ?? [],
    receipt: job.receipt ?? undefined,
    status: job.status,
    problem: job.error?.message,
  }
}

export function KeptAnswer({ view, id }: { view: 'receipt' | 'job'; id: string }) {
  const { turn } = useStore(server)
  const [kept, setKept] = useState<Kept>()
  const [problem, setProblem] = useState('')
  const [look, setLook] = useState(0)
  useEffect(() => {
    let isWanted = true
    const read = view === 'receipt' ? readReceipt : readJob
    read(id).then(
      (found) => {
        if (!isWanted) return
        setKept(found)
        setProblem('')
      },
      (error) => isWanted && setProblem(messageOf(error)),
    )
    return () => {
      isWanted = false
    }
  }, [view, id, turn, look])
  const isPending = ['queued', 'running', 'waiting'].includes(kept?.status ?? '')
  useEffect(() => {
    if (!isPending) return
    const timer = setInterval(() => setLook((count) => count + 1), 3000)
    return () => clearInterval(timer)
  }, [isPending])
  if (problem)
    return (
      <div class="narrow kept-problem">
        <Notice
          icon="alert"
          title="This answer cannot be shown"
          buttons={<Button onClick={() => go('earlier')}>All questions</Button>}
        >
          {problem}
        </Notice>
      </div>
    )
  if (!kept) return null
  const { question, text, sources, evidence, receipt, facts } = kept
  return (
    <>
      <Answer
        question={question}
        facts={facts.map((fact, index) => (
          <>
            {index > 0 && <span class="sep" />}
            <span key={fact}>{fact}</span>
          </>
        ))}
        text={text}
        isWhole
        sources={sources}
        evidence={evidence}
        below={
          <>
            {isPending && (
              <Notice kind="quiet" icon="clock" title="csp answers this in the background">
                You can leave this page: the answer stays here. It appears as soon as it is there.
              </Notice>
            )}
            {kept.status === 'failed' || kept.status === 'cancelled' ? (
              <Notice
                icon="alert"
                title={kept.status === 'failed' ? 'No answer came of this' : 'This was cancelled'}
                buttons={
                  <Button kind="main" onClick={() => newQuestion(question)}>
                    Ask again
                  </Button>
                }
              >
                {kept.problem}
              </Notice>
            ) : null}
            {text && (
              <Actions
                question={question}
                text={text}
                sources={sources}
                receipt={receipt}
                onAgain={() => newQuestion(question)}
              />
            )}
          </>
        }
      />
      {text && <FollowUp placeholder="Ask about this answer" onAsk={(next) => askAbout({ question, text }, next)} />}
    </>
  )
}
