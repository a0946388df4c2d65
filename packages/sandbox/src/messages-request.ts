import { type ContentBlock, isBlocks, type MessagesRequest } from '@csp/messages-api/request'

/**
 * What a model call is for.
 * - `search`: run the web search server tool and summarise the results.
 * - `answer`: run it, and write an answer that cites what it found.
 * - `decide`: the agent loop may call its own `WebSearch` tool.
 * - `write`: write text from what the prompt already contains.
 */
export type ModelCallKind = 'search' | 'answer' | 'decide' | 'write'

/** Decides by the tools offered, by csp's own system prompt and by whether there is a tool result; never by what a person wrote. */
export function classify(request: MessagesRequest): ModelCallKind {
  const tools = request.tools ?? []
  if (searchToolOf(request)) return plainText(request.system).includes(answerSign) ? 'answer' : 'search'
  const canSearch = tools.some(({ name }) => name === 'WebSearch')
  return canSearch && lastUserTurn(request).toolResults.length === 0 ? 'decide' : 'write'
}

/** The server tool that searches the web, if it is offered. */
export function searchToolOf({ tools }: MessagesRequest) {
  return tools?.find(({ type }) => type?.startsWith('web_search_'))
}

/** Stands in the system prompt of whoever searches in order to answer. */
const answerSign = 'Always search with web_search before you answer'

/** One message of the user. */
export interface UserTurn {
  /** A person's words, without the blocks that the CLI adds around them. */
  readonly text: string
  /** The text of each tool result, in order. */
  readonly toolResults: readonly string[]
}

type Content = MessagesRequest['messages'][number]['content']

/**
 * Reads the last message of the role `user`. A `system` message may follow it. Messages with which the CLI asks for the
 * rest of a truncated reply are skipped.
 */
export function lastUserTurn(request: MessagesRequest): UserTurn {
  const turns = request.messages.filter(({ role }) => role === 'user').map(({ content }) => content)
  const content = turns.findLast((turn) => !continuation.test(userText(turn))) ?? turns.at(-1) ?? ''
  return toTurn(content)
}

/** The last message that asks something. In a session, results of tools and csp's corrections come after it. */
export function questionTurn(request: MessagesRequest): UserTurn {
  const content = questionMessage(request)?.content
  return content === undefined ? lastUserTurn(request) : toTurn(content)
}

/** What the model has written since that message, as blocks. */
export function blocksSinceQuestion(request: MessagesRequest): readonly ContentBlock[] {
  const question = questionMessage(request)
  const since = question ? request.messages.slice(request.messages.indexOf(question) + 1) : []
  return since.flatMap(({ role, content }) => (role === 'assistant' && isBlocks(content) ? content : []))
}

function questionMessage({ messages }: MessagesRequest) {
  const asking = messages.filter(({ role, content }) => {
    const { text } = toTurn(content)
    return role === 'user' && text !== '' && !text.startsWith('You called none.')
  })
  return asking.findLast(({ content }) => userText(content).includes('<question>')) ?? asking.at(-1)
}

/** Whether a prompt asks for Markdown, in the system message or beside the question. */
export function asksForMarkdown(request: MessagesRequest): boolean {
  const prompt = questionTurn(request).text.replace(/<(sources|question)\b[\s\S]*?<\/\1>/g, '')
  return /\bin Markdown\b/i.test(`${plainText(request.system)}\n${prompt}`)
}

/** The question, then those before it, latest first. */
export function questionsOf(request: MessagesRequest): readonly string[] {
  const { text } = questionTurn(request)
  const earlier = [...text.matchAll(/<user-turn>\n([\s\S]*?)\n<\/user-turn>/g)].map(([, turn = '']) => turn)
  return [askedIn(request), ...earlier.toReversed()]
}

/** What a call is asked: between tags in a prompt of the CLI; elsewhere the first paragraph, which csp's own wishes follow. */
export function askedIn(request: MessagesRequest): string {
  const { text } = questionTurn(request)
  return text.includes('<question>') ? questionOf(text) : (text.split(/\n{2,}/)[0] ?? '')
}

/** All messages of the user, oldest first. */
export function userTurns(request: MessagesRequest): readonly UserTurn[] {
  return request.messages.filter(({ role }) => role === 'user').map(({ content }) => toTurn(content))
}

const continuation =
  /^(<system-reminder>\s*)?(Output token limit hit\.|Your response above was (stopped by a safety classifier|cut off mid-stream))/

const wrapped = /<(system-reminder|local-command-[a-z]+|command-[a-z]+)>[\s\S]*?<\/\1>/g

function toTurn(content: Content): UserTurn {
  return { text: userText(content).replace(wrapped, '').trim(), toolResults: toolResultsOf(content) }
}

function userText(content: Content): string {
  if (typeof content === 'string') return content
  return content.map((block) => (block.type === 'text' && hasText(block) ? block.text : '')).join('\n')
}

function toolResultsOf(content: Content): readonly string[] {
  if (typeof content === 'string') return []
  return content.filter(({ type }) => type === 'tool_result').map((block) => plainText(block['content']))
}

/** The content of a tool result is a string or a list of blocks, of which only text blocks are read. */
function plainText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: unknown) => (hasText(part) ? part.text : '')).join('\n')
}

function hasText(part: unknown): part is { readonly text: string } {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
}

/** The question in a prompt: the text between `<question>` tags, otherwise the whole prompt. */
export function questionOf(prompt: string): string {
  return (/<question>([\s\S]*?)<\/question>/.exec(prompt)?.[1] ?? prompt).trim()
}
