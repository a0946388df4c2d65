import { joinBytes } from './bytes.ts'

/** A text without a secret that csp itself has sent: servers repeat the key that they refuse. */
export function withoutSecret(text: string, secret: string | undefined): string {
  return secret ? text.replaceAll(secret, mark) : text
}

const mark = '[key]'

/**
 * Takes a secret out of bytes that come in pieces. One that is short is left in: local servers are given keys such as
 * `ollama`, which their models may write.
 */
export class SecretFilter {
  readonly #secret: string
  #held: Uint8Array = new Uint8Array()

  constructor(secret: string | undefined) {
    this.#secret = (secret?.length ?? 0) < minLength ? '' : byteText(new TextEncoder().encode(secret))
  }

  /** Returns the bytes that may go on. The beginning of a secret at the end of the bytes is held back. */
  push(bytes: Uint8Array): Uint8Array {
    if (this.#secret === '') return bytes
    const all = this.#held.byteLength > 0 ? joinBytes([this.#held, bytes]) : bytes
    const text = byteText(all)
    const passed: Uint8Array[] = []
    let start = 0
    for (let at = text.indexOf(this.#secret); at >= 0; at = text.indexOf(this.#secret, start)) {
      passed.push(all.subarray(start, at), new TextEncoder().encode(mark))
      start = at + this.#secret.length
    }
    const end = this.#beginningIn(text, start)
    this.#held = all.slice(end)
    return passed.length === 0 ? all.subarray(0, end) : joinBytes([...passed, all.subarray(start, end)])
  }

  /** The bytes that are still held back at the end. */
  rest(): Uint8Array {
    const held = this.#held
    this.#held = new Uint8Array()
    return held
  }

  /** Where a secret begins that the text does not finish, otherwise its end. */
  #beginningIn(text: string, start: number): number {
    const from = Math.max(start, text.length - this.#secret.length + 1)
    for (let at = from; at < text.length; at++) if (this.#secret.startsWith(text.slice(at))) return at
    return text.length
  }
}

const minLength = 12

/** One character for each byte. */
function byteText(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes)
}
