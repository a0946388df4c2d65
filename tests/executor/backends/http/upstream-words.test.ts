import { expect, test } from 'bun:test'
import { upstreamWords } from '../../../../src/executor/backends/http/upstream-words.ts'

const sent = {
  system: [{ type: 'text', text: 'You write an answer over numbered sources and cite them.' }],
  messages: [{ role: 'user' as const, content: `${'Seals live on ice. '.repeat(6000)}What do seals eat?` }],
}

test.each([
  ['The model does not support tools.', 'The model does not support tools.'],
  ['It needs 8.4 GiB, and 7.9 are there (code 1.2.3).', 'It needs 8.4 GiB, and 7.9 are there (code 1.2.3).'],
  ['qwen3:14b, qwen3.5 and gpt-5: no such model', 'qwen3:14b, qwen3.5 and gpt-5: no such model'],
  ['Invalid prompt: "You write an answer over numbered', 'Invalid prompt: " …'],
  ['template: {"text":"write\\nan answer\\\\nover.', 'template: {"text":" …'],
  ['[{"role":"user","content":"seals live on ice"}] is no prompt', '[{"role":"user","content":" …'],
  ['Seals live on ice.', ''],
  ['127.0.0.1:41873: refused', 'the upstream: refused'],
  ['dial tcp 10.0.0.7:11434, [::1]:80, [fe80::1]', 'dial tcp the upstream, the upstream, the upstream'],
  ['POST http://llm.example:8000/v1/chat?key=x failed', 'POST the upstream failed'],
  [
    'getaddrinfo ENOTFOUND gpu.lan, localhost, llm:8000',
    'getaddrinfo ENOTFOUND the upstream, the upstream, the upstream',
  ],
  ['x'.repeat(300), `${'x'.repeat(200)} …`],
])('of %j the caller reads %j', (said, words) => {
  expect(upstreamWords(said, sent)).toBe(words)
})
