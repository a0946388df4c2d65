import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { forms } from '../../../src/translation/reply/written-calls/forms.ts'
import { type Written, WrittenCalls } from '../../../src/translation/reply/written-calls/written-calls.ts'

const string = { type: 'string' }
const offered = new Map<string, unknown>([
  ['Bash', { properties: { command: string, timeout: { type: 'integer' }, quiet: { type: ['boolean', 'null'] } } }],
  ['Read', { properties: { path: string, lines: { anyOf: [{ type: 'array' }, { type: 'null' }] } } }],
  ['ping', { type: 'object', properties: {} }],
])

/** What is made of a text that comes in pieces of this length. */
function readIn(text: string, length: number, tools: ReadonlyMap<string, unknown> = offered): readonly Written[] {
  const reader = new WrittenCalls(tools)
  const out: Written[] = []
  for (let place = 0; place < text.length; place += length) out.push(reader.push(text.slice(place, place + length)))
  out.push(...reader.end())
  const joined: Written[] = []
  for (const piece of out) {
    const last = joined.at(-1)
    if (typeof piece === 'string' && typeof last === 'string') joined[joined.length - 1] = last + piece
    else joined.push(piece)
  }
  return joined.filter((piece) => piece !== '')
}

const ls = { name: 'Bash', input: { command: 'ls' } }
const read = { name: 'Read', input: { path: 'a.ts' } }
const ping = { name: 'ping', input: {} }

describe('a call that a model writes as text is a call', () => {
  test.each<[string, string, readonly Written[]]>([
    ['Hermes', '<tool_call>\n{"name": "Bash", "arguments": {"command": "ls"}}\n</tool_call>', [ls]],
    [
      'Hermes, two behind words',
      'I look.\n<tool_call>\n{"name": "Bash", "arguments": {"command": "ls"}}\n</tool_call>\n<tool_call>\n{"arguments": {"path": "a.ts"}, "name": "Read"}\n</tool_call>',
      ['I look.\n', ls, read],
    ],
    ['Hermes, whose end a server took', '<tool_call>\n{"name": "ping", "arguments": {}}', [ping]],
    [
      'Hermes, arguments in a string',
      '<tool_call>{"name":"Bash","arguments":"{\\"command\\":\\"ls\\"}"}</tool_call>',
      [ls],
    ],
    [
      'Qwen Coder',
      '<tool_call>\n<function=Bash>\n<parameter=command>\nls\n</parameter>\n<parameter=timeout>\n30\n</parameter>\n<parameter=quiet>\nTrue\n</parameter>\n</function>\n</tool_call>',
      [{ name: 'Bash', input: { command: 'ls', timeout: 30, quiet: true } }],
    ],
    [
      'Qwen Coder without its mark',
      '<function=Bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>',
      [ls],
    ],
    [
      'Qwen Coder, signs of XML and of the form in an argument',
      '<tool_call>\n<function=Bash>\n<parameter=command>\necho "</tool_call> </parameter> a < b && c"\n\n</parameter>\n</function>\n</tool_call>',
      [{ name: 'Bash', input: { command: 'echo "</tool_call> </parameter> a < b && c"\n' } }],
    ],
    [
      'GLM',
      '<tool_call>Read\n<arg_key>path</arg_key>\n<arg_value>a.ts</arg_value>\n<arg_key>lines</arg_key>\n<arg_value>[1, 2]</arg_value>\n</tool_call>',
      [{ name: 'Read', input: { path: 'a.ts', lines: [1, 2] } }],
    ],
    ['GLM without arguments', '<tool_call>ping</tool_call>', [ping]],
    [
      'MiniMax',
      '<minimax:tool_call>\n<invoke name="Bash">\n<parameter name="command">ls</parameter>\n</invoke>\n</minimax:tool_call>',
      [ls],
    ],
    [
      'a bare invoke',
      'So:\n<invoke name="Bash">\n<parameter name="command">ls</parameter>\n</invoke>\n<invoke name="ping">\n</invoke>',
      ['So:\n', ls, ping],
    ],
    [
      'DeepSeek V3.2',
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="Bash">\n<｜DSML｜parameter name="command" string="true">ls</｜DSML｜parameter>\n<｜DSML｜parameter name="timeout" string="false">5</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
      [{ name: 'Bash', input: { command: 'ls', timeout: 5 } }],
    ],
    [
      'DeepSeek V3.1',
      'I\'ll look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>Bash<｜tool▁sep｜>{"command":"ls"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>ping<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      ["I'll look.", ls, ping],
    ],
    [
      'DeepSeek V3 and R1',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>Bash\n```json\n{"command": "ls"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      [ls],
    ],
    [
      'Kimi',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.Bash:0 <|tool_call_argument_begin|>{"command": "ls"}<|tool_call_end|><|tool_call_begin|>ping:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
      [ls, ping],
    ],
    [
      'Mistral, a list',
      'Hello[TOOL_CALLS] [{"name": "Bash", "arguments": {"command": "ls"}}, {"arguments": {"path": "a.ts"}, "name": "Read"}]',
      ['Hello', ls, read],
    ],
    [
      'Mistral, a list and more',
      '[TOOL_CALLS] [{"name": "ping", "arguments": {}}]\nextra trailing data',
      [ping, '\nextra trailing data'],
    ],
    ['Mistral, names', '[TOOL_CALLS]Bash{"command": "ls"}[TOOL_CALLS]Read{"path": "a.ts"}', [ls, read]],
    ['Mistral, names and marks', '[TOOL_CALLS]Bash[CALL_ID]abc123xyz[ARGS]{"command": "ls"}', [ls]],
    ['Llama 3', '<|python_tag|>{"name": "Bash", "parameters": {"command": "ls"}}', [ls]],
    ['Llama 3, its own tools', '<|python_tag|>Bash.call(command="ls")', [ls]],
    ['Llama 3.2, bare', '{"name": "Bash", "parameters": {"command": "ls"}}', [ls]],
    [
      'Llama 3, several',
      '{"name": "ping", "parameters": {}}; {"type": "function", "name": "Bash", "parameters": {"command": "ls"}}',
      [ping, ls],
    ],
    [
      'Llama 4, pythonic',
      "[Bash(command='ls', timeout=3, quiet=None), Read(path=\"it\\'s\", lines=[1, -2.5, {'a': True}])]",
      [
        { name: 'Bash', input: { command: 'ls', timeout: 3, quiet: null } },
        { name: 'Read', input: { path: "it's", lines: [1, -2.5, { a: true }] } },
      ],
    ],
    ['LFM2', "<|tool_call_start|>[Bash(command='ls')]<|tool_call_end|>", [ls]],
    ['Nemotron', '<TOOLCALL>[{"name": "Bash", "arguments": {"command": "ls"}}]</TOOLCALL>', [ls]],
    ['Granite', '<|tool_call|>[{"name": "Bash", "arguments": {"command": "ls"}}]', [ls]],
    ['InternLM', '<|action_start|><|plugin|>{"name": "Bash", "parameters": {"command": "ls"}}<|action_end|>', [ls]],
    [
      'the form of OpenAI',
      '{"type": "function", "function": {"name": "Bash", "arguments": "{\\"command\\": \\"ls\\"}"}}',
      [ls],
    ],
    [
      'raw line breaks in a string',
      '<tool_call>{"name": "Bash", "arguments": {"command": "l\ns"}}</tool_call>',
      [{ name: 'Bash', input: { command: 'l\ns' } }],
    ],
  ])('of %s, in pieces of any length', (_model, written, expected) => {
    for (const length of [1, 2, 3, 7, 40, written.length]) expect(readIn(written, length)).toEqual([...expected])
  })

  test.each(forms.map(([opening, closing]) => [opening, closing] as const))(
    'but %s is text without one',
    (opening, closing) => {
      for (const inner of [
        '',
        ' is how calls begin',
        '{"name": "Nope", "arguments": {}}',
        '[1, 2]',
        '{"name": "Bash"',
      ]) {
        const written = `See ${opening}${inner}${closing} there.`
        for (const length of [1, 5, written.length]) expect(readIn(written, length)).toEqual([written])
      }
    },
  )
})

describe('a text stays as it is', () => {
  test.each([
    ['of a tool that is not offered', '<tool_call>{"name": "Write", "arguments": {"path": "x"}}</tool_call>'],
    ['in a code fence', 'So:\n```xml\n<tool_call>{"name": "ping", "arguments": {}}</tool_call>\n```\n'],
    ['in a fence of tildes', 'So:\n~~~\n<tool_call>{"name": "ping", "arguments": {}}</tool_call>\n~~~\n'],
    ['in a fence in a fence', '````\n```\n<tool_call>{"name": "ping", "arguments": {}}</tool_call>\n```\n````\n'],
    ['in backticks behind words', 'Write `so: <tool_call>{"name": "ping", "arguments": {}}</tool_call>`.'],
    ['in backticks', 'Write `<tool_call>{"name": "ping", "arguments": {}}</tool_call>`.'],
    ['cut in its arguments', '<tool_call>{"name": "Bash", "arguments": {"command": "ls'],
    ['cut between its elements', '<tool_call>\n<function=Bash>\n<parameter=command>\nls'],
    ['with words beside the object', '<tool_call>Here: {"name": "ping", "arguments": {}}</tool_call>'],
    ['of JSON that the user wanted', '{"name": "Ann", "age": 3}'],
    ['of JSON with the name of a tool', '{"name": "Bash", "kind": "shell"}'],
    ['with a call and words', '{"name": "ping", "parameters": {}} is how.'],
    ['that begins with a link', '[Bash](https://bash.example) is a shell.'],
    ['of code', "[print(x='a')] and a[Bash(command='ls')]"],
    ['that is blank', ' \n '],
    ['with single signs', 'a < b, [1], `x`, <'],
  ])('%s', (_name, written) => {
    for (const length of [1, 4, written.length]) expect(readIn(written, length)).toEqual([written])
  })

  test('where the request offers no tools', () => {
    const written = '<tool_call>{"name": "ping", "arguments": {}}</tool_call>'
    expect(readIn(written, 5, new Map())).toEqual([written])
  })

  test('where a real call follows', () => {
    const reader = new WrittenCalls(offered)
    const written = 'So. <tool_call>{"name": "ping", "arguments": {}}</tool_call>\n<tool_c'
    expect(reader.push(written) + reader.release()).toBe(written)
    expect(reader.end()).toEqual([''])
  })

  test('and goes out as soon as it can be no call', () => {
    const reader = new WrittenCalls(offered)
    expect(reader.push('The tag <tool_call>')).toBe('The tag ')
    expect(reader.push(' begins')).toBe('<tool_call> begins')
    expect(reader.push(' a call.')).toBe(' a call.')
    const bare = new WrittenCalls(offered)
    expect(bare.push('{')).toBe('')
    expect(bare.push('"answer": ')).toBe('{"answer": ')
  })

  test('with whatever signs of the forms', () => {
    const signs = [...forms.flatMap((form) => form.slice(0, 2)), '`', '```', '{', '"name"', 'ping', ' ', '}']
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...signs), { maxLength: 30 }),
        fc.integer({ min: 1, max: 9 }),
        (parts, length) => {
          const text = parts.join('')
          const pieces = readIn(text, length)
          if (pieces.every((piece) => typeof piece === 'string')) expect(pieces.join('')).toBe(text)
        },
      ),
      { numRuns: runs(500) },
    )
  })
})
