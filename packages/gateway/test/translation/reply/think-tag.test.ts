import { expect, test } from 'bun:test'
import { ThinkTag } from '../../../src/translation/reply/think-tag.ts'

test.each([
  ['<think>Hm.</think>\n\nSeals bark.', 'Hm.', 'Seals bark.'],
  ['<think></think>Seals bark.', '', 'Seals bark.'],
  [' \n<think>\nHm. </think> Seals bark. <think>No.</think>', 'Hm. ', 'Seals bark. <think>No.</think>'],
  ['<think>Hm, a < b and </thin', 'Hm, a < b and </thin', ''],
  ['Seals <think>bark</think>.', '', 'Seals <think>bark</think>.'],
  ['<thinking> is no tag.', '', '<thinking> is no tag.'],
  ['<thin', '', '<thin'],
])('of %j the thought is %j, and the text %j, in pieces of any length', (written, thought, text) => {
  for (let length = 1; length <= written.length; length++) {
    const tag = new ThinkTag()
    const splits = (written.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []).map((piece) => tag.push(piece))
    const all = [...splits, tag.end()]
    expect([all.map((one) => one.thought).join(''), all.map((one) => one.text).join('')]).toEqual([thought, text])
  }
})
