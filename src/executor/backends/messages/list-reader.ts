import type { ApiEvent, MessagesHit } from './turn.ts'

/** Collects the rows of a message. */
export class ListReader {
  readonly hits: MessagesHit[] = []
  /** What was cited of a page, by its URL. */
  readonly words = new Map<string, string>()
  id = 'search-1'
  text = ''
  searches = 0
  errorCode: string | undefined

  get hasSearched(): boolean {
    return this.searches > 0 || this.errorCode !== undefined
  }

  read(event: ApiEvent): void {
    switch (event.type) {
      case 'text-delta':
        if (this.searches > 0) this.text += event.text
        break
      case 'text-cited':
        if (event.words && !this.words.has(event.url)) this.words.set(event.url, event.words)
        break
      case 'search-hits':
        if (this.searches === 0) this.id = event.id
        this.searches++
        this.hits.push(...event.hits)
        break
      case 'search-failed':
        this.errorCode = event.code
        break
    }
  }
}
