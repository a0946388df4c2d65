import { describe, expect, jest, spyOn, test } from 'bun:test'
import { createProgress } from '../../../src/runtime/shell/progress.ts'

function terminal(columns = 80, isTerminal = true) {
  let text = ''
  const stream = {
    write(more: string) {
      text += more
    },
    isTerminal,
    columns,
  }
  return { stream, text: () => text }
}

describe('a progress line', () => {
  test('shows the phase and the seconds, and is gone at the end for good', () => {
    const { stream, text } = terminal()
    const progress = createProgress(stream, {})
    progress.show('Searching')
    progress.show('10 pages, writing')
    progress.end()
    progress.end()
    progress.show('again')
    expect(text()).toBe('\rSearching 0 s\x1b[K\r10 pages, writing 0 s\x1b[K\r\x1b[2K')
  })

  test('is drawn again each second, and never after its end', () => {
    const { stream, text } = terminal()
    let ms = 5000
    jest.useFakeTimers()
    const clock = spyOn(performance, 'now').mockImplementation(() => ms)
    try {
      const progress = createProgress(stream, {})
      progress.show('Searching')
      for (const step of [999, 1, 1000]) {
        ms += step
        jest.advanceTimersByTime(step)
      }
      progress.end()
      jest.advanceTimersByTime(5000)
    } finally {
      clock.mockRestore()
      jest.useRealTimers()
    }
    expect(text()).toBe('\rSearching 0 s\x1b[K\rSearching 1 s\x1b[K\rSearching 2 s\x1b[K\r\x1b[2K')
  })

  test('takes one line of a narrow terminal, also for letters of two columns', () => {
    const { stream, text } = terminal(12)
    const progress = createProgress(stream, {})
    progress.show('検索しています、検索しています')
    progress.end()
    const shown = text().slice(1, text().indexOf('\x1b'))
    expect(Bun.stringWidth(shown)).toBeLessThan(12)
    expect(shown).toEndWith('…')
  })

  test('leaves a line of its own to what is logged meanwhile', () => {
    const { stream, text } = terminal()
    const progress = createProgress(stream, {})
    progress.show('Searching')
    progress.write('a warning\n')
    progress.end()
    expect(text()).toBe('\rSearching 0 s\x1b[K\r\x1b[2Ka warning\n\rSearching 0 s\x1b[K\r\x1b[2K')
  })

  test.each([
    ['where no terminal is', false, {}, false],
    ['on a dumb terminal', true, { TERM: 'dumb' }, false],
    ['when quiet is asked for', true, {}, true],
  ])('is not there %s', (_, isTerminal, environment, isQuiet) => {
    const { stream, text } = terminal(80, isTerminal)
    const progress = createProgress(stream, environment, isQuiet)
    progress.show('Searching')
    progress.write('x')
    progress.end()
    expect(text()).toBe('x')
  })
})
