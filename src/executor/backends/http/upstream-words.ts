import { cutMark, withoutWordsOf } from '@csp/lib/quoted-words'
import type { ContentBlock, MessagesRequest } from '@csp/messages-api/request'

/**
 * What an upstream said of a request, as the caller may read it: up to where it quotes what csp sent, and without the
 * addresses of machines. The owner of csp has the rest in the log.
 */
export function upstreamWords(said: string, sent: SentPrompt): string {
  // A prompt may stand there as JSON within JSON.
  const start = said
    .slice(0, maxRead)
    .replace(/\\+[nrt]/g, ' ')
    .replace(address, 'the upstream')
  const [own = ''] = withoutWordsOf(textsOf(sent), start).split(cutMark)
  const isCut = own.length < start.length || start.length > maxSaid
  const words = own.slice(0, maxSaid).trim()
  return isCut && words !== '' ? `${words} …` : words
}

export type SentPrompt = Partial<Pick<MessagesRequest, 'system' | 'messages'>>

/** The texts of a prompt, in parts that are compared whole. */
function textsOf({ system, messages = [] }: SentPrompt): readonly string[] {
  const parts = [system ?? [], ...messages.map(({ content }) => content)].flatMap((content) =>
    typeof content === 'string' ? [content] : content.map(textOf),
  )
  const prompt = parts.join('\n').slice(0, maxPrompt)
  return Array.from({ length: Math.ceil(prompt.length / maxPart) }, (_, at) =>
    prompt.slice(at * maxPart, (at + 1) * maxPart),
  )
}

function textOf({ text }: ContentBlock): string {
  return typeof text === 'string' ? text : ''
}

/** In characters. */
const maxPrompt = 100_000
const maxPart = 20_000
const maxRead = 1000
const maxSaid = 200

/** An address with its scheme, an IP address, a name with a port, or a name of a network at home. */
const address = new RegExp(
  [
    String.raw`\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s"'<>]{1,300}`,
    String.raw`(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])(?::\d{1,5})?`,
    String.raw`\[[\da-f:.]{2,45}\](?::\d{1,5})?`,
    String.raw`(?<![\w.-])[a-z][\w-]{0,62}(?:\.[\w-]{1,62}){0,8}:\d{2,5}(?![\w.])`,
    String.raw`(?<![\w.-])(?:localhost|[a-z\d][\w-]{0,62}(?:\.[\w-]{1,62}){0,8}\.(?:lan|local|localdomain|internal|intranet|home|corp|arpa))(?![\w-])`,
  ].join('|'),
  'gi',
)
