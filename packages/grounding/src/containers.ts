import type { Reading, TextInput } from './text-input.ts'

/**
 * Whether a run of colons at the head of a line, up to an index, opens a container that clients render: Azure DevOps'
 * `:::mermaid`, LibreChat's `:::artifact{…}`, MyST's `:::{image}`. A run alone closes one, and notes only frame their text.
 */
export function* isActiveContainer(input: TextInput, from: number): Reading<boolean> {
  for (let end = from; end - from < maxHead; end++) {
    const char = input.char(end) || (yield* input.wait(end))
    if (char === '{') return true
    if (char !== '\n' && char !== '') continue
    const [, name] = /^([a-z]*)(?:[\s[].*|)$/i.exec(input.slice(from, end).trim()) ?? []
    return name === undefined || !notes.has(name.toLowerCase())
  }
  return true
}

const maxHead = 100
const notes: ReadonlySet<string> = new Set([
  ...['', 'note', 'tip', 'info', 'warning', 'caution', 'danger', 'important', 'details', 'success', 'error', 'hint'],
  ...['abstract', 'example', 'question', 'quote', 'seealso'],
])
