/** Prompts on a terminal and resolves to the typed line; `undefined` when standard input is no terminal. */
export async function ask(question: string): Promise<string | undefined> {
  const { stdin, stdout } = process
  if (!stdin.isTTY) return undefined
  stdout.write(question)
  process.once('SIGINT', leave)
  try {
    return await typedLine(stdin)
  } finally {
    process.off('SIGINT', leave)
  }
}

/** As `ask`, for a text that is not shown while it is typed. */
export async function askSecret(question: string): Promise<string | undefined> {
  const { stdin, stdout } = process
  if (!stdin.isTTY) return undefined
  // Before the question, so that nothing shows of what is typed or pasted at once.
  stdin.setRawMode(true)
  stdout.write(question)
  try {
    return await typedLine(stdin)
  } finally {
    stdin.setRawMode(false)
    stdout.write('\n')
  }
}

/**
 * Up to the end of the line, or of the input: Ctrl-D with nothing typed leaves. A terminal in raw mode passes on every
 * key, those that end and erase among them; otherwise it passes on whole lines.
 */
async function typedLine(stdin: NodeJS.ReadStream): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let typed = ''
  const end = () => resolve(typed)
  const endOrLeave = () => (typed === '' ? leave() : end())
  const read = (chunk: Uint8Array): void => {
    for (const letter of new TextDecoder().decode(chunk).replace(keysThatMove, '')) {
      if (letter === interrupt) leave()
      if (letter === '\r' || letter === '\n' || letter === endOfInput) {
        if (letter === endOfInput) endOrLeave()
        else end()
        return
      }
      if (letter === eraseAll) typed = ''
      else typed = letter === '\x7f' || letter === '\b' ? typed.slice(0, -1) : typed + letter
    }
  }
  if (stdin.readableEnded) endOrLeave()
  stdin.on('data', read).once('end', endOrLeave).resume()
  try {
    return await promise
  } finally {
    stdin.off('data', read).off('end', endOrLeave).pause()
  }
}

/** Ctrl-C or Ctrl-D at a question. By an orderly end, so that temporary files are removed. */
function leave(): void {
  if (process.stdin.isRaw) process.stdin.setRawMode(false)
  process.stdout.write('\n')
  process.exit(130)
}

const interrupt = '\x03'
const endOfInput = '\x04'
/** Ctrl-U. */
const eraseAll = '\x15'
/** Arrows and the like, and what some terminals put around a paste. */
const keysThatMove = /\x1b(?:\[[\d;]*[A-Za-z~]|O[A-Z])/g
