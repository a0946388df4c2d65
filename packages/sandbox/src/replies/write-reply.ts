import type { MessagesRequest } from '@csp/messages-api/request'
import { z } from 'zod'
import { lastUserTurn, questionOf, questionTurn, type UserTurn, userTurns } from '../messages-request.ts'
import type { SandboxBlock } from '../stream/message.ts'
import type { ReplyContext } from './context.ts'
import { jsonText } from './json-reply.ts'
import { briefly, linked, reportFrom, writtenFrom } from './library-text.ts'
import { linkTo, markdownLink, recital, spoilText } from './model-text.ts'
import { givenByTools, toolReply } from './tool-reply.ts'

/**
 * The text of a write call. It cites numbered sources as `[n]` and the links of a tool result as markdown. It is JSON when
 * csp asks for JSON, and a tool call when the scenario says so.
 */
export function textReply(request: MessagesRequest, context: ReplyContext): readonly SandboxBlock[] {
  const asked = toolReply(request, context)
  if (asked) return asked
  const turn = lastUserTurn(request)
  const sources = readSources(turn)
  const given = givenByTools(request)
  const summary = given ?? `“${questionOf(questionTurn(request).text).slice(0, 200)}”`
  const url = userTurns(request).flatMap(readSources)[0]?.url
  const known = context.library ? briefly(userTurns(request).flatMap(readSources), request) : undefined
  const json = jsonText(request, `Sandbox answer: ${known ?? `${summary}.`}`, url, context)
  if (json !== undefined) return [{ type: 'text', text: json }]
  if (context.scenario === 'recite') {
    const refer = (page: number) => (sources[0]?.number === undefined ? linkTo(sources[page - 1]) : `[${page}]`)
    return [{ type: 'text', text: recital(questionOf(questionTurn(request).text), refer) }]
  }
  const written = context.library && given === undefined ? writtenOver(sources, request) : undefined
  if (written !== undefined) return [{ type: 'text', text: written }]
  const hasFoundNothing = given === undefined && turn.toolResults.length > 0
  const sentences = [
    ...(given === undefined ? [] : [capitalised(`${given}.`)]),
    ...sources.slice(0, 4).map(sentenceFor),
  ]
  if (asksForReport(turn)) return [{ type: 'text', text: report(sources) }]
  const text =
    sources.length > 0
      ? `Sandbox answer: all of this is invented. ${sentences.join(' ')}`
      : `Sandbox answer: ${hasFoundNothing ? 'no pages were found' : summary}.`
  return [{ type: 'text', text: [text, ...spoilText(sources, context.scenario)].join('') }]
}

/** An answer from the library's pages, with the numbers of the sources or, for links of a tool result, with links. */
function writtenOver(sources: readonly Source[], request: MessagesRequest): string | undefined {
  const parts = (asksForReport(lastUserTurn(request)) ? reportFrom : writtenFrom)(sources, request)
  return parts
    ?.map((part) => {
      const number = sources.find(({ url }) => url === part.page?.url)?.number
      return number === undefined ? linked(part) : `${part.text} [${number}]`
    })
    .join('')
}

function asksForReport({ text }: UserTurn): boolean {
  return text.includes('\n\nWrite a report ')
}

/** A section for every four sources, with words of theirs. */
function report(sources: readonly Source[]): string {
  const lines = sources.map(({ title, number, words = '' }, index) => {
    const heading = index % 4 === 0 ? `\n\n## Part ${index / 4 + 1}\n\n` : ' '
    return `${heading}${title} has this to say: ${words.slice(0, 150)} [${number}].`
  })
  return `Sandbox answer: all of this is invented.${lines.join('')}`
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

interface Source {
  /** Absent for a link from a tool result. */
  readonly number?: string | undefined
  readonly title: string
  readonly url: string
  /** The line below it. */
  readonly words?: string | undefined
}

function sentenceFor(source: Source): string {
  if (source.number === undefined) return `According to ${markdownLink(source)}, so it is.`
  return `${source.title} has something to say on it [${source.number}].`
}

function readSources(turn: UserTurn): readonly Source[] {
  const numbered = readNumbered(turn.text)
  return numbered.length > 0 ? numbered : turn.toolResults.flatMap(readLinks)
}

/** Lines `[n] Title — URL`, inside `<sources>`. */
function readNumbered(text: string): readonly Source[] {
  const block = /<sources[^>]*>([\s\S]*?)<\/sources>/.exec(text)?.[1] ?? ''
  return [
    ...block.matchAll(/^\s*\[(\d+)\]\s*(.*?)\s*(?:[—–:|-]\s*)?<?(https?:\/\/[^\s>]+)[^\n]*(?:\n {4}(.*))?/gm),
  ].map(([, number, title = '', url = '', words]) => ({ number, title, url, words }))
}

/** The CLI's format: `Links: [{"title":"…","url":"…"}]`, on one line. */
function readLinks(toolResult: string): readonly Source[] {
  return [...toolResult.matchAll(/^Links: (\[.*\])$/gm)].flatMap(([, json = '[]']) => parseLinks(json))
}

function parseLinks(json: string): readonly Source[] {
  try {
    return linkList.parse(JSON.parse(json))
  } catch {
    return []
  }
}

const linkList = z.array(z.object({ title: z.string(), url: z.string() }))
