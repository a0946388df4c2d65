import { expect, test } from 'bun:test'
import { join } from 'node:path'

const asking = join(import.meta.dir, '../../support/asking.ts')

type Kind = 'shown' | 'secret' | 'mixed'

/** What two questions get from someone who types this, and what the terminal shows of it. */
async function typed(kind: Kind, replies: readonly [string, string], more = '') {
  let shown = ''
  let asked = 0
  const child = Bun.spawn(['/bin/sh', '-c', `"$0" "$1" "$2"${more}`, process.execPath, asking, kind], {
    terminal: {
      data(terminal, bytes) {
        shown += new TextDecoder().decode(bytes)
        if (shown.split('? ').length - 1 > asked) terminal.write(replies[asked++] ?? '')
      },
    },
  })
  const code = await child.exited
  return { code, shown, answers: /answers (.*)\r\n/.exec(shown)?.[1] }
}

test.each(['shown', 'secret'] as const)('a line is an answer, and so is an empty one: %s', async (kind) => {
  expect(await typed(kind, ['yes\n', '\n'])).toMatchObject({ code: 0, answers: '["yes",""]' })
})

test.each(['shown', 'secret'] as const)('Ctrl-D is no answer, least of all a yes: it leaves: %s', async (kind) => {
  const { code, answers, shown } = await typed(kind, ['\x04', 'y\n'], '; echo "ended $?"; stty -a')
  expect([code, answers]).toEqual([0, undefined])
  expect(shown).toContain('ended 130')
  // The shell finds its terminal as it was.
  expect(shown).toMatch(/ icanon\b/)
  expect(shown).toMatch(/ echo\b/)
})

test('Ctrl-C at a question ends csp in order, not by the signal', async () => {
  // dash says nothing of an end by a signal but its number, which `exec` would hide.
  expect((await typed('secret', ['\x03', ''], '; echo "ended $?"')).shown).toContain('ended 130')
})

test('a secret is not shown, and what is typed next is', async () => {
  const { answers, shown } = await typed('mixed', ['hidden\n', 'visible\n'])
  expect(answers).toBe('["hidden","visible"]')
  expect(shown.split('answers')[0]).toBe('First? \r\nSecond? visible\r\n')
})

test('keys that erase take away what was typed, and others that move do nothing', async () => {
  expect((await typed('secret', ['yex\x7fs\n', 'ab\bc\x1b[D\n'])).answers).toBe('["yes","ac"]')
  expect((await typed('secret', ['wrong\x15right\r', 'all\x04'])).answers).toBe('["right","all"]')
})

test('nothing is asked where no terminal is', async () => {
  for (const kind of ['shown', 'secret']) {
    const child = Bun.spawn([process.execPath, asking, kind], { stdin: new Blob(['yes\nyes\n']), stdout: 'pipe' })
    expect(await new Response(child.stdout).text()).toBe('answers [null,null]\n')
  }
})
