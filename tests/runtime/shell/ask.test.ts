// Starts processes.
import { expect, test } from 'bun:test'
import { join } from 'node:path'

const asking = join(import.meta.dir, '../../support/asking.ts')

/** What two questions get from someone who types this. */
async function typed(kind: 'shown' | 'secret', replies: readonly [string, string]) {
  let shown = ''
  let asked = 0
  const child = Bun.spawn([process.execPath, asking, kind], {
    terminal: {
      data(terminal, bytes) {
        shown += new TextDecoder().decode(bytes)
        if (shown.split('? ').length - 1 > asked) terminal.write(replies[asked++] ?? '')
      },
    },
  })
  const code = await child.exited
  return { code, answers: /answers (.*)\r\n/.exec(shown)?.[1] }
}

test.each(['shown', 'secret'] as const)('a line is an answer, and so is an empty one: %s', async (kind) => {
  expect(await typed(kind, ['yes\n', '\n'])).toEqual({ code: 0, answers: '["yes",""]' })
})

test.each(['shown', 'secret'] as const)('Ctrl-D is no answer, least of all a yes: it leaves: %s', async (kind) => {
  expect(await typed(kind, ['\x04', 'y\n'])).toEqual({ code: 130, answers: undefined })
})
