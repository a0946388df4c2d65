import { expect, test } from 'bun:test'
import { ThinkTag } from '../../../src/translation/reply/think-tag.ts'

/** Answers that show the tag. */
const shown = [
  'Stop at this:\n\n```\n</think>\n```\n\nSo it ends.',
  '1. Stop at this:\n   ```html\n   </think>\n   ```\n\nSo it ends.',
  'Stop at this:\n~~~~\n```\n</think>\n~~~~\n',
  'Stop at this:\n\n    </think>\n\nSo it ends.',
  '| Tag | Use |\n|---|---|\n| </think> | ends |\n',
  'It is </think> in the middle.',
]

test.each([
  ['<think>Hm.</think>\n\nSeals bark.', 'Hm.', 'Seals bark.'],
  ['<think></think>Seals bark.', '', 'Seals bark.'],
  [' \n<think>\nHm. </think> Seals bark. <think>No.</think>', 'Hm. ', 'Seals bark. <think>No.</think>'],
  ['<think>Hm, a < b and </thin', 'Hm, a < b and </thin', ''],
  ['Seals <think>bark</think>.', '', 'Seals <think>bark</think>.'],
  ['<thinking> is no tag.', '', '<thinking> is no tag.'],
  ['<thin', '', '<thin'],
  [
    'Behind `</think>` stands the text, and </think> is a tag.',
    '',
    'Behind `</think>` stands the text, and </think> is a tag.',
  ],
  ['First.\n`</think>\n` is it.', '', 'First.\n`</think>\n` is it.'],
  ...shown.map((text) => [text, '', text] as const),
])('of %j the thought is %j, and the text %j, in pieces of any length', (written, thought, text) => {
  for (let length = 1; length <= written.length; length++) {
    const tag = new ThinkTag()
    const splits = (written.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []).map((piece) => tag.push(piece))
    const all = [...splits, tag.end()]
    expect([all.map((one) => one.thought).join(''), all.map((one) => one.text).join('')]).toEqual([thought, text])
  }
})

test.each([
  ['Hm, so.\n</think>\n\nSeals bark.', 'Hm, so.', 'Seals bark.'],
  ['Hm, so.</think>\nSeals bark.', 'Hm, so.', 'Seals bark.'],
  ['</think>Seals bark.', '', 'Seals bark.'],
  ['Seals bark.\n</think>', '', 'Seals bark.\n'],
  ['Seals bark.</think>\n\n', '', 'Seals bark.\n\n'],
  ['Seals bark.', '', 'Seals bark.'],
  ['A tag is `</think>`\nor so.', '', 'A tag is `</think>`\nor so.'],
  ['A word, <think>, and one more: </think>\n', '', 'A word, <think>, and one more: </think>\n'],
  ...shown.map((text) => [text, '', text] as const),
])('for one who waits for all of %j the thought is %j, and the text %j', (written, thought, text) => {
  for (let length = 1; length <= written.length; length++) {
    const tag = new ThinkTag({ waits: true })
    const splits = (written.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []).map((piece) => tag.push(piece))
    const all = [...splits, tag.end()]
    expect([all.map((one) => one.thought).join(''), all.map((one) => one.text).join('')]).toEqual([thought, text])
  }
})

test.each(['thinking', 'thought'])('<%s> is a tag for one who asked for thoughts', (name) => {
  const written = `<${name}>Hm.</${name}>\n\nSeals bark.`
  expect(new ThinkTag({ wantsThoughts: true }).push(written)).toEqual({ thought: 'Hm.', text: 'Seals bark.' })
  expect(new ThinkTag().push(written)).toEqual({ thought: '', text: written })
})
