import { expect, test } from 'bun:test'
import { Channel } from '../../../../../src/executor/backends/claude/worker/channel.ts'

test('what was pushed before a failure is delivered, then the first failure, and nothing that came later', async () => {
  const channel = new Channel<string>()
  const got: string[] = []
  const read = async () => {
    for await (const item of channel) got.push(item)
  }
  const ended = read().catch(({ message }: Error) => message)
  channel.push('one')
  await Bun.sleep(0)
  channel.push('two')
  channel.fail(new Error('the first'))
  channel.push('three')
  channel.fail(new Error('the second'))
  expect([await ended, got]).toEqual(['the first', ['one', 'two']])
})
