/** Prompts on a terminal and resolves to the typed line; `undefined` when standard input is no terminal. */
export async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined
  process.stdout.write(question)
  process.once('SIGINT', leave)
  try {
    for await (const line of console) return line
    return ''
  } finally {
    process.off('SIGINT', leave)
  }
}

/** As `ask`, for a text that is not shown while it is typed. */
export async function askSecret(question: string): Promise<string | undefined> {
  const { stdin, stdout } = process
  if (!stdin.isTTY) return undefined
  stdout.write(question)
  stdin.setRawMode(true)
  try {
    return await typedLine(stdin)
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    stdout.write('\n')
  }
}

/** In this mode the terminal passes on every key, those that end and erase among them. */
function typedLine(stdin: NodeJS.ReadStream): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let typed = ''
  const read = (chunk: Uint8Array): void => {
    for (const letter of new TextDecoder().decode(chunk)) {
      if (letter === interrupt) leave()
      if (letter === '\r' || letter === '\n' || letter === endOfInput) {
        resolve(typed)
        return
      }
      typed = letter === '\x7f' || letter === '\b' ? typed.slice(0, -1) : typed + letter
    }
  }
  stdin.on('data', read)
  return promise.finally(() => stdin.off('data', read))
}

/** Ctrl-C at a question. By an orderly end, so that temporary files are removed. */
function leave(): void {
  if (process.stdin.isRaw) process.stdin.setRawMode(false)
  process.stdout.write('\n')
  process.exit(130)
}

const interrupt = '\x03'
const endOfInput = '\x04'
