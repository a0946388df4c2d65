import { isObject } from '@csp/lib/json'
import { cleanText } from '@csp/lib/text'
import { z } from 'zod'
import type { ToolCall } from '../../../domain/search.ts'
import type { Issue } from '../../exchange/failure.ts'
import { refused } from '../../exchange/refusal.ts'
import { optional } from '../../fields/field.ts'
import type { Said } from '../shared/chat/turns.ts'

const partField = z.looseObject({
  text: optional(z.string()),
  /** What a model thought; it is no part of what it said. */
  thought: optional(z.boolean()),
  functionCall: optional(
    z.looseObject({
      id: optional(z.string()),
      name: z.string(),
      args: optional(z.record(z.string(), z.unknown())),
    }),
  ),
  functionResponse: optional(
    z.looseObject({
      id: optional(z.string()),
      name: z.string(),
      response: optional(z.unknown()),
    }),
  ),
})

type Part = z.output<typeof partField>

/** What one side said. */
export const contentField = z.object({
  role: optional(z.enum(['user', 'model', 'function', 'system', ''])),
  parts: optional(z.array(partField)),
})

export type Content = z.output<typeof contentField>

/** Parts that csp can pass to no model, and that would change the answer. */
const unsupportedParts = ['inlineData', 'fileData', 'executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse']

/** The turns of a conversation. Throws a `Refusal`. */
export function readContents(contents: readonly Content[]): readonly Said[] {
  const calls = new Calls()
  return contents.flatMap((content, place) => {
    const path = ['contents', place]
    checkParts(content, path)
    if (!isModel(content)) return readContent(content, path, calls)
    // A client that keeps what was streamed sends each piece as a content of its own.
    return isModel(contents[place - 1]) ? [] : readModelTurn(partsOfRun(contents, place), path, calls)
  })
}

function isModel(content: Content | undefined): boolean {
  return content?.role === 'model'
}

/** The parts of the model's contents that follow one another from here. */
function partsOfRun(contents: readonly Content[], start: number): readonly Part[] {
  const length = contents.slice(start).findIndex((content) => !isModel(content))
  return contents.slice(start, length < 0 ? undefined : start + length).flatMap(({ parts = [] }) => parts)
}

/** What the user says last. */
export function lastUserText(contents: readonly Content[]): string {
  return partsText(contents.findLast((content) => !isModel(content))?.parts ?? [], '\n')
}

/** The text of instructions. Throws a `Refusal`. */
export function readInstructions(content: Content | string | undefined): string {
  if (content === undefined) return ''
  if (typeof content === 'string') return cleanText(content, true).trim()
  checkParts(content, ['systemInstruction'])
  return cleanText(partsText(content.parts ?? [], '\n'), true).trim()
}

function readModelTurn(parts: readonly Part[], path: Issue['path'], calls: Calls): readonly Said[] {
  const toolCalls = parts.flatMap(({ functionCall }) => (functionCall ? [calls.add(functionCall)] : []))
  const text = cleanText(partsText(parts, ''), true).trim()
  const turn = { role: 'assistant' as const, text, ...(toolCalls.length > 0 && { toolCalls }) }
  return [{ turn, path: [...path, 'role'] }]
}

function readContent({ role, parts = [] }: Content, path: Issue['path'], calls: Calls): readonly Said[] {
  const results = parts.flatMap(({ functionResponse }, place): readonly Said[] =>
    functionResponse
      ? [readResult(functionResponse, [...path, 'parts', place, 'functionResponse', 'name'], calls)]
      : [],
  )
  const text = cleanText(partsText(parts, '\n'), true).trim()
  if (results.length > 0 && text === '') return results
  const speaker = role === 'system' ? 'instructions' : 'user'
  return [...results, { turn: { role: speaker, text }, path: [...path, 'parts'] }]
}

function readResult(response: NonNullable<Part['functionResponse']>, path: Issue['path'], calls: Calls): Said {
  const callId = calls.answer(response)
  if (callId === undefined) {
    const message = `No earlier functionCall without a response is named '${response.name}'`
    throw refused(path, message)
  }
  return { turn: { role: 'tool', text: resultOf(response), callId }, path }
}

/** What a function gave: clients put a text into one of these fields, and some the name beside it. */
function resultOf({ name, response = {} }: NonNullable<Part['functionResponse']>): string {
  if (!isObject(response)) return JSON.stringify(response)
  const [field, ...more] = Object.entries(response).filter(([key, value]) => key !== 'name' || value !== name)
  const [key = '', value] = field ?? []
  const isText = more.length === 0 && ['output', 'result', 'content'].includes(key) && typeof value === 'string'
  return isText ? value : JSON.stringify(response)
}

function checkParts({ parts = [] }: Content, path: Issue['path']): void {
  for (const [place, part] of parts.entries()) {
    const found = unsupportedParts.find((name) => (part[name] ?? undefined) !== undefined)
    if (found === undefined) continue
    const message = `Only text and function calls are supported, not ${found}`
    throw refused([...path, 'parts', place, found], message)
  }
}

function partsText(parts: readonly Part[], separator: string): string {
  return parts.flatMap(({ text, thought }) => (text === undefined || thought ? [] : [text])).join(separator)
}

/** Finds the call of each response: by its id, otherwise by its name, since ids may be left out. */
class Calls {
  readonly #open: ToolCall[] = []
  #count = 0

  add({ id, name, args = {} }: NonNullable<Part['functionCall']>): ToolCall {
    const call = { id: id || `call-${++this.#count}`, name, arguments: JSON.stringify(args) }
    this.#open.push(call)
    return call
  }

  answer({ id, name }: NonNullable<Part['functionResponse']>): string | undefined {
    const byId = id ? this.#open.findIndex((call) => call.id === id) : -1
    const place = byId < 0 ? this.#open.findIndex((call) => call.name === name) : byId
    return place < 0 ? undefined : this.#open.splice(place, 1)[0]?.id
  }
}
