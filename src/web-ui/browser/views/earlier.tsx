// The questions that csp keeps, each with its answer and what it rests on.

import { useEffect, useState } from 'preact/hooks'
import { json, messageOf } from '../api.ts'
import { Button, Notice, PageHead } from '../parts.tsx'
import type { ReceiptRow } from '../recent.ts'
import { server } from '../server.ts'
import { useStore } from '../store.ts'
import { FindField } from './find-field.tsx'
import { QuestionRow } from './question-row.tsx'

interface Page {
  readonly data: readonly ReceiptRow[]
  readonly next: string | null
}

/** How many pages of the list are asked for, at most, until some have the words that are looked for. */
const maxPages = 10
const fewRows = 5

export function EarlierView() {
  const { turn, health } = useStore(server)
  const [page, setPage] = useState<Page>()
  const [words, setWords] = useState('')
  const [problem, setProblem] = useState('')
  const [isAsking, setAsking] = useState(false)
  useEffect(() => {
    let isWanted = true
    json<Page>('v1/receipts?limit=20').then(
      (first) => {
        if (!isWanted) return
        setPage(first)
        setProblem('')
      },
      (error) => isWanted && setProblem(messageOf(error)),
    )
    return () => {
      isWanted = false
    }
  }, [turn])
  const found = matching(page?.data ?? [], words)
  const showOlder = async () => {
    setAsking(true)
    try {
      setPage(await olderOf(page, words))
    } catch (error) {
      setProblem(messageOf(error))
    } finally {
      setAsking(false)
    }
  }
  // Among older questions, too, while few fit.
  useEffect(() => {
    if (!words || found.length >= fewRows || !page?.next) return
    const timer = setTimeout(() => void showOlder(), 300)
    return () => clearTimeout(timer)
  }, [words])
  return (
    <div class="narrow">
      <PageHead title="Earlier questions">Kept on this computer, each with its answer and what it rests on.</PageHead>
      <h2 class="vh">Questions</h2>
      {problem && (
        <Notice icon="alert" title="They cannot be shown">
          {problem}
        </Notice>
      )}
      {page && page.data.length === 0 && <None isOff={health !== undefined && health.receipts === undefined} />}
      {page && page.data.length > 0 && (
        <FindField label="Find a question" width="full" words={words} onWords={setWords} />
      )}
      <p class="soft after" role="status">
        {page && page.data.length > 0 && found.length === 0 && !isAsking
          ? page.next
            ? 'Not among the questions that are shown.'
            : 'No question has these words.'
          : ''}
      </p>
      {byDay(found).map(([day, rows]) => (
        <section key={day} class="block" aria-label={day}>
          <h2>{day}</h2>
          <div class="rows">
            {rows.map((row) => (
              <QuestionRow key={row.id} row={row} />
            ))}
          </div>
        </section>
      ))}
      {page?.next && (
        <p class="after centre">
          <Button disabled={isAsking} onClick={() => void showOlder()}>
            Show older
          </Button>
        </p>
      )}
    </div>
  )
}

function None({ isOff }: { isOff: boolean }) {
  if (isOff)
    return (
      <Notice kind="look" icon="history" title="csp keeps no answers">
        Receipts are off. Start csp without <code>--receipts off</code> and <code>--evidence off</code> to keep what
        answers rest on.
      </Notice>
    )
  return (
    <Notice
      kind="quiet"
      icon="history"
      title="No question yet"
      buttons={
        <a class="btn" href="#new">
          Ask the first
        </a>
      }
    >
      Each written answer is kept here: its sentences, what was found on the pages they cite, and those pages.
    </Notice>
  )
}

/** The list with more questions, until a few more have the words. */
async function olderOf(page: Page | undefined, words: string): Promise<Page> {
  let { data, next }: Page = page ?? { data: [], next: null }
  const before = matching(data, words).length
  for (let count = 0; count < maxPages && next; count++) {
    const more: Page = await json<Page>(`v1/receipts?limit=${words ? 100 : 20}&after=${next}`)
    data = [...data, ...more.data]
    next = more.next
    if (matching(data, words).length - before >= fewRows) break
  }
  return { data, next }
}

function matching(rows: readonly ReceiptRow[], words: string): readonly ReceiptRow[] {
  const wanted = words.toLowerCase().split(/\s+/)
  return rows.filter(({ question }) => wanted.every((word) => question.toLowerCase().includes(word)))
}

function byDay(rows: readonly ReceiptRow[]): readonly (readonly [string, readonly ReceiptRow[]])[] {
  const days = [...new Set(rows.map(({ time }) => dayOf(time)))]
  return days.map((day) => [day, rows.filter(({ time }) => dayOf(time) === day)])
}

function dayOf(time: string): string {
  const then = new Date(time)
  const days = Math.round((midnight(new Date()) - midnight(then)) / 86_400_000)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days < 7) return then.toLocaleDateString([], { weekday: 'long' })
  return then.toLocaleDateString([], { month: 'long', year: 'numeric' })
}

function midnight(time: Date): number {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime()
}
