import type { MessagesRequest } from '@csp/messages-api/request'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import type { Schema } from './schemas.ts'

type Tool = NonNullable<MessagesRequest['tools']>[number]

/** A function that a model can call, with the name that the client knows. */
export interface ToolFunction {
  readonly name: string
  readonly description?: string | undefined
  readonly schema: Schema
}

/**
 * A tool that the client runs, as a function: its own, or one that Anthropic defined, with the schema that Claude knows it
 * by. `undefined` for tools that are no functions.
 */
export function toolFunction(tool: Tool): ToolFunction | undefined {
  const { type, name = '', description, input_schema } = tool
  if (name === '') return undefined
  const defined = input_schema || isOwn(type) ? undefined : clientTool(tool)
  if (defined) return { name, ...defined }
  if (!isOwn(type) && !input_schema) return undefined
  return { name, ...(description && { description }), schema: input_schema ?? {} }
}

/** Whether the client runs a tool that only Claude knows by its type. */
export function isClientTool(tool: Tool): boolean {
  return !tool.input_schema && clientTool(tool) !== undefined
}

/**
 * Refuses tools that run at Anthropic, in its own words, by which Claude Code learns to do without them. A search for tools is
 * none of them: all tools are told to the model. Nor is an advisor beside tools: the model does the work without one.
 */
export function checkVendorTools({ tools, ...request }: MessagesRequest): void {
  const place = (tools ?? []).findIndex(
    (tool) => runsAtVendor(tool) && !(isAdvisor(tool) && tools?.some((other) => !isAdvisor(other))),
  )
  const type = tools?.[place]?.type
  if (type)
    throw new UpstreamError(
      400,
      `tools.${place}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${onlyVendor}`,
    )
  const servers = request['mcp_servers']
  if (Array.isArray(servers) && servers.length > 0)
    throw new UpstreamError(400, `mcp_servers: Extra inputs are not permitted: ${onlyVendor}`)
}

function isAdvisor({ type }: Tool): boolean {
  return /^advisor_\d{8}$/.test(type ?? '')
}

const onlyVendor = 'it runs at Anthropic, and this model has nothing that takes its place.'

/** Whether a tool needs a server that only Anthropic has. csp runs searches, and fetches pages. */
export function runsAtVendor(tool: Tool): boolean {
  const { type, input_schema } = tool
  if (isOwn(type) || input_schema || /^(?:web_search|web_fetch|tool_search_tool\w*)_\d{8}$/.test(type ?? ''))
    return false
  return clientTool(tool) === undefined
}

function isOwn(type: string | null | undefined): boolean {
  return type == null || type === 'custom'
}

function clientTool(tool: Tool): Omit<ToolFunction, 'name'> | undefined {
  const [, kind = '', date = ''] = /^(bash|text_editor|memory|computer)_(\d{8})$/.exec(tool.type ?? '') ?? []
  return makers[kind]?.(tool, Number(date))
}

const text = { type: 'string' }
const whole = { type: 'integer' }
const point = { type: 'array', items: whole, minItems: 2, maxItems: 2 }

function oneOf(...words: readonly string[]) {
  return { type: 'string', enum: words }
}

function described(type: Schema, description: string): Schema {
  return { ...type, description }
}

const fileFields = {
  view_range: described(point, 'For view: the first and the last line, from 1; -1 is the end'),
  file_text: described(text, 'For create: all of the file'),
  old_str: described(text, 'For str_replace: text that stands in the file once'),
  new_str: described(text, 'For str_replace: what takes its place'),
  insert_line: described(whole, 'For insert: the line behind which the text goes; 0 is the head of the file'),
}
const insertText = { insert_text: described(text, 'For insert: the text') }

/** By the names of their types. Their versions differ in single commands. */
const makers: Readonly<Record<string, (tool: Tool, date: number) => Omit<ToolFunction, 'name'>>> = {
  bash: () => ({
    description: 'Runs a command in a shell that stays open between calls.',
    schema: {
      type: 'object',
      properties: {
        command: described(text, 'The command; not needed for a restart'),
        restart: described({ type: 'boolean' }, 'Whether to start the shell anew'),
      },
    },
  }),
  text_editor: (_tool, date) => ({
    description: 'Views, creates and edits text files.',
    schema: {
      type: 'object',
      properties: {
        command: oneOf('view', 'create', 'str_replace', 'insert', ...(date < 20_250_429 ? ['undo_edit'] : [])),
        path: described(text, 'The absolute path of a file, or of a folder to view'),
        ...fileFields,
        ...(date < 20_250_728 ? { new_str: described(text, 'For str_replace and insert: the new text') } : insertText),
      },
      required: ['command', 'path'],
    },
  }),
  memory: () => ({
    description:
      'Keeps notes in files under /memories, which stay between conversations. View the folder before you begin.',
    schema: {
      type: 'object',
      properties: {
        command: oneOf('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
        path: described(text, 'A path under /memories; for all commands but rename'),
        ...fileFields,
        ...insertText,
        old_path: described(text, 'For rename: the path'),
        new_path: described(text, 'For rename: the new path'),
      },
      required: ['command'],
    },
  }),
  computer: (tool, date) => ({
    description: `Uses the screen, mouse and keyboard of a computer. The screen has ${String(tool['display_width_px'])} by ${String(tool['display_height_px'])} pixels. Take a screenshot to see it.`,
    schema: {
      type: 'object',
      properties: {
        action: oneOf(
          ...['screenshot', 'left_click', 'right_click', 'middle_click', 'double_click', 'mouse_move'],
          ...['left_click_drag', 'key', 'type', 'cursor_position'],
          ...(date < 20_250_124
            ? []
            : ['triple_click', 'left_mouse_down', 'left_mouse_up', 'scroll', 'hold_key', 'wait']),
          ...(date >= 20_251_124 && tool['enable_zoom'] === true ? ['zoom'] : []),
        ),
        coordinate: described(point, 'x and y in pixels, for clicks, moves, scrolls and the end of a drag'),
        text: described(text, 'What to type, or keys such as ctrl+s'),
        ...(date >= 20_250_124 && {
          start_coordinate: described(point, 'Where a drag begins'),
          scroll_direction: oneOf('up', 'down', 'left', 'right'),
          scroll_amount: whole,
          duration: described({ type: 'number' }, 'Seconds, for hold_key and wait'),
        }),
        ...(tool['enable_zoom'] === true && {
          region: described(
            { type: 'array', items: whole, minItems: 4, maxItems: 4 },
            'For zoom: left, top, right, bottom',
          ),
        }),
      },
      required: ['action'],
    },
  }),
}
