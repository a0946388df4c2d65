import { type GroundedPart, MarkdownGuard } from './markdown-guard.ts'
import type { Source } from './source-index.ts'

/**
 * Guards an answer twice: as it reads without its `[n]` markers and the spaces before them, which several dialects and
 * many clients take out, and then with them. So no marker parts the halves of an address or a tag.
 */
export class AnswerGuard {
  readonly #bare = new MarkdownGuard()
  readonly #marked = new MarkdownGuard()
  /** The spaces before the markers that are on their way. */
  readonly #spaces: string[] = []

  write(text: string): void {
    this.#bare.write(text)
  }

  /** Writes a marker behind a space, which is empty or white. A line break stays where a marker is taken out. */
  cite(space: string, number: number, { url, title }: Source): void {
    const isBreak = space.includes('\n')
    if (isBreak) this.#bare.write(space)
    this.#spaces.push(isBreak ? '' : space)
    this.#bare.cite({ number, url, title }, 0)
  }

  /** Takes the finished output. */
  take(): GroundedPart[] {
    this.#mark(this.#bare.take())
    return this.#marked.take()
  }

  /** Takes the rest, when no more text comes. */
  finish(): GroundedPart[] {
    this.#mark(this.#bare.finish())
    return this.#marked.finish()
  }

  #mark(parts: readonly GroundedPart[]): void {
    for (const part of parts) {
      if (part.type === 'text-delta') this.#marked.write(part.text)
      else {
        const marker = `[${part.citation.number}]`
        this.#marked.write(`${this.#spaces.shift() ?? ''}${marker}`)
        this.#marked.cite(part.citation, marker.length)
      }
    }
  }
}
