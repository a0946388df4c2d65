// The text of an answer, made of elements of a list. Nothing in it loads anything, and it links to its own sources alone.

import { Component, type ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Cite, type CiteWorld, Claim, claimClass } from './cite.tsx'
import { type Block, type CiteToken, citesIn, plain, type Token, wordsOf } from './markdown.ts'
import { CopyButton } from './parts.tsx'

interface Props {
  readonly blocks: readonly Block[]
  readonly isWhole: boolean
  readonly world: CiteWorld
}

export function Prose({ blocks, isWhole, world }: Props) {
  const known = useMemo(
    () => ({ ...world, said: world.evidenceOf(citesIn(blocks)) }),
    [isWhole ? blocks : undefined, world],
  )
  return (
    <div class="prose" aria-live="polite" aria-busy={!isWhole}>
      {blocks.map(({ key, token }) => (
        <StillBlock key={key} token={token} world={known} />
      ))}
    </div>
  )
}

/** How deep marks may stand in one another; deeper ones are shown as they are written. */
const maxDepth = 16

interface PartProps {
  readonly token: Token
  readonly world: CiteWorld
  readonly depth?: number
}

/** A block that is drawn already is not drawn anew while the text below it grows. */
class StillBlock extends Component<PartProps> {
  override shouldComponentUpdate({ token, world }: PartProps): boolean {
    return token.raw !== this.props.token.raw || world !== this.props.world
  }

  override render() {
    return <BlockOf {...this.props} />
  }
}

/** The fields that tokens of Markdown have, of which each kind has some. */
interface Fields {
  readonly tokens?: readonly Token[]
  readonly text?: string
  readonly depth?: number
  readonly ordered?: boolean
  readonly start?: number | ''
  readonly items?: readonly (Token & Fields)[]
  readonly header?: readonly Cell[]
  readonly rows?: readonly (readonly Cell[])[]
  readonly lang?: string
  readonly href?: string
}

interface Cell {
  readonly tokens: readonly Token[]
  readonly align?: 'left' | 'right' | 'center' | null
}

function BlockOf({ token, world, depth = 0 }: PartProps): ComponentChildren {
  const { tokens, text = '', items = [], header = [], rows = [], ...more } = token as Fields
  if (depth > maxDepth) return <p>{plain(token.raw)}</p>
  const inside = () => <Claims tokens={tokens} world={world} />
  const blocks = (all: readonly Token[] = []) =>
    all.map((each, index) => <BlockOf key={index} token={each} world={world} depth={depth + 1} />)
  switch (token.type) {
    case 'paragraph':
      return <p>{inside()}</p>
    case 'text':
      return tokens ? inside() : plain(text)
    case 'heading':
      return (more.depth ?? 1) < 3 ? <h3 tabIndex={-1}>{inside()}</h3> : <h4>{inside()}</h4>
    case 'list': {
      const made = items.map((item, index) => (
        <li key={index}>{blocks(item.tokens?.filter(({ type }) => type !== 'checkbox'))}</li>
      ))
      return more.ordered ? <ol start={more.start || 1}>{made}</ol> : <ul>{made}</ul>
    }
    case 'table':
      return (
        <section class="scroll" tabindex={0} aria-label="Table">
          <table>
            <thead>
              <tr>
                {header.map((cell, index) => (
                  <CellOf key={index} tag="th" cell={cell} world={world} />
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, place) => (
                <tr key={place}>
                  {row.map((cell, index) => (
                    <CellOf key={index} tag="td" cell={cell} world={world} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )
    case 'code':
      return <Code text={text} language={/^[\w+#.-]{1,20}/.exec(more.lang ?? '')?.[0] ?? 'text'} />
    case 'blockquote':
      return <blockquote>{blocks(tokens)}</blockquote>
    case 'hr':
      return <hr />
    case 'space':
      return null
    default:
      return <p>{plain(token.raw)}</p>
  }
}

function CellOf({ tag: Tag, cell, world }: { tag: 'th' | 'td'; cell: Cell; world: CiteWorld }) {
  const align = cell.align === 'right' ? 'r' : cell.align === 'center' ? 'c' : undefined
  return (
    <Tag class={align}>
      <Claims tokens={cell.tokens} world={world} />
    </Tag>
  )
}

function Code({ text, language }: { text: string; language: string }) {
  return (
    <figure class="codebox">
      <figcaption>
        {language} <CopyButton text={() => text} kind="ghost" size="sm" />
      </figcaption>
      <pre tabindex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  )
}

/** A run of text that ends in markers stands on their pages: it is marked as they are. */
function Claims({
  tokens = [],
  world,
}: {
  tokens?: readonly Token[] | undefined
  world: CiteWorld
}): ComponentChildren {
  const made: ComponentChildren[] = []
  let run: Token[] = []
  const flush = () => {
    if (run.length > 0) made.push(<Inline key={made.length} tokens={run} world={world} />)
    run = []
  }
  for (const token of tokens) {
    const cite = token.type === 'cite' ? (token as unknown as CiteToken) : undefined
    const marked = cite && run.length > 0 && claimClass(cite, world)
    if (cite && marked) {
      const [before, claim] = lastSentence(run)
      run = before
      flush()
      made.push(
        <Claim key={made.length} token={cite} name={marked}>
          <Inline tokens={claim} world={world} />
        </Claim>,
      )
    } else if (cite) flush()
    if (cite) made.push(<Cite key={made.length} token={cite} world={world} />)
    else run.push(token)
  }
  flush()
  return made
}

/** Splits a run where its last sentence begins. */
function lastSentence(run: readonly Token[]): readonly [Token[], readonly Token[]] {
  for (let place = run.length - 1; place >= 0; place--) {
    const token = run[place]
    // Bold words that end a sentence.
    if (token && place < run.length - 1 && token.type !== 'text' && /[.!?:]$/.test(wordsOf(token).trim()))
      return [run.slice(0, place + 1), run.slice(place + 1)]
    if (token?.type !== 'text' || (token as Fields).tokens) continue
    const text = (token as Fields).text ?? ''
    const cut = [...text.trimEnd().matchAll(/[.!?:;]["”’)]{0,2}\s+|^[.!?,;:]\s*/g)].at(-1)
    if (!cut) continue
    const at = cut.index + cut[0].length
    const part = (from: number, to?: number): Token => ({
      type: 'text',
      raw: text.slice(from, to),
      text: text.slice(from, to),
    })
    return [
      [...run.slice(0, place), part(0, at)],
      [part(at), ...run.slice(place + 1)],
    ]
  }
  return [[], run]
}

interface InlineProps {
  readonly tokens?: readonly Token[] | undefined
  readonly world: CiteWorld
  readonly depth?: number
}

function Inline({ tokens = [], world, depth = 0 }: InlineProps): ComponentChildren {
  if (depth > maxDepth) return tokens.map(({ raw }) => plain(raw)).join('')
  return tokens.map((token, key) => {
    const { tokens: children, text = '', href = '' } = token as Fields
    const inside = <Inline tokens={children} world={world} depth={depth + 1} />
    switch (token.type) {
      case 'cite':
        return <Cite key={key} token={token as unknown as CiteToken} world={world} />
      case 'strong':
        return <strong key={key}>{inside}</strong>
      case 'em':
        return <em key={key}>{inside}</em>
      case 'del':
        return <del key={key}>{inside}</del>
      case 'codespan':
        return <code key={key}>{plain(text)}</code>
      case 'br':
        return <br key={key} />
      case 'link':
        return world.addresses.has(href) ? (
          <a key={key} href={href} target="_blank" rel="noopener noreferrer">
            {inside}
          </a>
        ) : (
          plain(token.raw)
        )
      case 'text':
        return children ? inside : plain(text)
      case 'escape':
        return text
      default:
        return plain(token.raw)
    }
  })
}
