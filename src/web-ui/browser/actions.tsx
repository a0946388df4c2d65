// What can be done with an answer.

import { useState } from 'preact/hooks'
import { call, failureOf, messageOf } from './api.ts'
import { Button, CopyButton } from './parts.tsx'
import type { Source } from './verdict.ts'
import { hostOf } from './words.ts'

interface Props {
  readonly question: string
  readonly text: string
  readonly sources: readonly Source[]
  readonly receipt?: string | undefined
  readonly onAgain?: (() => void) | undefined
}

export function Actions({ question, text, sources, receipt, onAgain }: Props) {
  const markdown = () => inMarkdown(question, text, sources)
  return (
    <div class="acts">
      <CopyButton text={markdown} kind="ghost" />
      {receipt && <SaveReceipt id={receipt} />}
      {'share' in navigator && (
        <Button
          kind="ghost"
          icon="share"
          onClick={() => void navigator.share({ title: question, text: markdown() }).catch(() => {})}
        >
          Share
        </Button>
      )}
      {onAgain && (
        <Button kind="ghost" icon="again" title="Skip the answer cache" onClick={onAgain}>
          Search again
        </Button>
      )}
    </div>
  )
}

/** A link could not send the key. */
function SaveReceipt({ id }: { id: string }) {
  const [problem, setProblem] = useState('')
  const save = async () => {
    try {
      const reply = await call(`v1/receipts/${id}?format=html`)
      if (!reply.ok) throw await failureOf(reply)
      const address = URL.createObjectURL(await reply.blob())
      const link = document.createElement('a')
      link.href = address
      link.download = `receipt-${id.slice(0, 8)}.html`
      link.click()
      setTimeout(() => URL.revokeObjectURL(address), 10_000)
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  return (
    <Button kind="ghost" icon="receipt" onClick={() => void save()}>
      {problem || 'Save receipt'}
    </Button>
  )
}

/** A question and its answer with the sources that it cites, as Markdown. */
function inMarkdown(question: string, text: string, sources: readonly Source[]): string {
  const cited = new Set([...text.matchAll(/\[(\d{1,3})\]/g)].map(([, number]) => Number(number)))
  const list = sources.flatMap(({ title, url }, index) =>
    cited.has(index + 1) ? [`${index + 1}. [${inBrackets(title || hostOf(url))}](<${url}>)`] : [],
  )
  const parts = [`**${question.replaceAll('*', '')}**`, text.trim(), ...(list.length > 0 ? [list.join('\n')] : [])]
  return parts.join('\n\n')
}

function inBrackets(text: string): string {
  return text.replaceAll(/[\\[\]<>`*_$!&|~]/g, String.raw`\$&`).replaceAll(/\s+/g, ' ')
}
