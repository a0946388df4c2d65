// Programs that search through this csp: what each needs, to copy, and which have asked lately.

import { useEffect, useState } from 'preact/hooks'
import { json, messageOf, ownAddress } from '../api.ts'
import { Button, CopyButton, Notice, PageHead } from '../parts.tsx'
import { server } from '../server.ts'
import { useStore } from '../store.ts'
import { clock } from '../words.ts'
import { FindField } from './find-field.tsx'
import { isFailed, type RequestEntry, type Requests } from './requests.ts'

interface Snippet {
  readonly client: string
  readonly place: string
  readonly text: string
  /** The name for `csp setup`. */
  readonly setup?: string
}

interface Group {
  readonly title: string
  readonly snippets: readonly Snippet[]
}

/** The configurations for an address that stands for this one. */
interface Snippets {
  readonly address: string
  readonly open: readonly Group[]
  readonly keyed: readonly Group[]
}

export function ClientsView() {
  const { health } = useStore(server)
  const [snippets, setSnippets] = useState<Snippets>()
  const [requests, setRequests] = useState<readonly RequestEntry[]>([])
  const [problem, setProblem] = useState('')
  const [words, setWords] = useState('')
  useEffect(() => {
    json<Snippets>('page/clients.json').then(setSnippets, (error) => setProblem(messageOf(error)))
  }, [])
  useEffect(() => {
    // Without a key nothing is known of requests, and this view works all the same.
    if (health?.rows)
      json<Requests>('v1/requests').then(
        ({ requests: last }) => setRequests(last),
        () => {},
      )
  }, [health])
  const needsKey = document.body.dataset['needsKey'] === 'true'
  const groups = (needsKey ? snippets?.keyed : snippets?.open) ?? []
  const own = (text: string) => text.replaceAll(snippets?.address ?? '', ownAddress())
  const wanted = words.trim().toLowerCase()
  const shown = groups
    .map(({ title, snippets: all }) => ({
      title,
      snippets: all.filter(({ client }) => client.toLowerCase().includes(wanted)),
    }))
    .filter((group) => group.snippets.length > 0)
  return (
    <div class="wide">
      <PageHead title="Clients">
        Programs that search through this csp. Most need one command; all need one address.
      </PageHead>
      <div class="line">
        <FindField label="Find a program" width="grow" words={words} onWords={setWords} />
        <div class="cmd grow">
          <span>{ownAddress()}</span>
          <CopyButton size="sm" aria-label="Copy the address" text={ownAddress} />
        </div>
      </div>
      <h2 class="vh">Programs</h2>
      {problem && (
        <Notice icon="alert" title="They cannot be shown">
          {problem}
        </Notice>
      )}
      {snippets && shown.length === 0 && (
        <Notice kind="quiet" icon="plug" title="No program here has this name">
          Any that speaks MCP takes {ownAddress()}/mcp. Any that speaks one of the search APIs takes the address above.
        </Notice>
      )}
      {shown.map(({ title, snippets: members }) => (
        <section key={title} class="block" aria-label={title}>
          <h2>{title}</h2>
          <div class="ccards">
            {members.map((snippet) => (
              <ClientCard key={snippet.client} snippet={snippet} last={lastOf(snippet, requests)} own={own} />
            ))}
          </div>
        </section>
      ))}
    </div>
  )
}

function lastOf({ client }: Snippet, requests: readonly RequestEntry[]): RequestEntry | undefined {
  return requests.find((request) => request.client === client)
}

interface CardProps {
  readonly snippet: Snippet
  readonly last: RequestEntry | undefined
  readonly own: (text: string) => string
}

/** A program with the command that sets it up; it opens for what goes into its configuration by hand. */
function ClientCard({ snippet: { client, place, text, setup }, last, own }: CardProps) {
  const [isOpen, setOpen] = useState(false)
  const command = setup && `csp setup ${setup}`
  return (
    <div class={`ccard ${isOpen ? 'open' : ''}`}>
      <span class="l" aria-hidden="true">
        {letters(client)}
      </span>
      <h3 class="name">{client}</h3>
      {last ? (
        <span class="m">
          <span class={`dot ${isFailed(last) ? 'bad' : ''}`} />
          Last request {clock(last.at)}, {isFailed(last) ? 'failed' : 'worked'}
        </span>
      ) : (
        !command && <span class="m">{place}</span>
      )}
      <div class="line">
        {command && !isOpen && <CopyButton size="sm" text={() => command} label="Copy command" />}
        <Button
          size="sm"
          kind={command ? 'ghost' : undefined}
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Close' : 'Setting by hand'}: ${client}`}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Close' : 'Setting by hand'}
        </Button>
      </div>
      {isOpen && (
        <div class="body">
          {command && (
            <div>
              <h4>One command sets it up and makes a test search</h4>
              <div class="cmd">
                <span>{command}</span>
                <CopyButton size="sm" text={() => command} />
              </div>
              <p class="soft tiny after">
                <code>{command} --undo</code> takes it out again.
              </p>
            </div>
          )}
          <div>
            <h4>
              {command ? 'or by hand, in ' : 'In '}
              {/^[~./]/.test(place) ? <code>{place}</code> : place}
            </h4>
            <figure class="codebox">
              <figcaption>
                <CopyButton kind="ghost" size="sm" text={() => own(text)} />
              </figcaption>
              <pre tabindex={0}>{own(text)}</pre>
            </figure>
          </div>
        </div>
      )}
    </div>
  )
}

/** `CC` for Claude Code, `Cu` for Cursor. */
function letters(name: string): string {
  const [first = '', second] = name.split(/[\s-]+/)
  return second && /^[A-Z]/.test(second) ? first.charAt(0) + second.charAt(0) : name.slice(0, 2)
}
