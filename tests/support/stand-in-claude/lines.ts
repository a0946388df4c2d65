/** Each line of standard input. */
export async function* lines(): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of Bun.stdin.stream()) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = pieces.pop() ?? ''
    yield* pieces.filter((line) => line.trim() !== '')
  }
}

export function print(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}
