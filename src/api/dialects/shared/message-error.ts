import type { ErrorBody, Failure } from '../../dialect.ts'

/** The error envelope of those who send the message and nothing else: SearXNG, Ollama, Open WebUI. */
export function messageError({ status, message }: Failure): ErrorBody {
  return { status, body: { error: message } }
}
