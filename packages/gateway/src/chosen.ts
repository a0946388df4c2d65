import type { Upstream } from './upstream.ts'

/** An upstream that is one of several: which one, each request finds out. */
export function chosenUpstream<Kind extends Upstream>(
  name: string,
  choose: () => Promise<Kind>,
  all: readonly Kind[],
): Upstream {
  return {
    name,
    async *send(request, context) {
      yield* (await choose()).send(request, context)
    },
    async close() {
      await Promise.all(all.map((upstream) => upstream.close()))
    },
  }
}

/**
 * Asks a server what it is, until it has answered once. The answer is kept, not the promise: on the edge a promise of
 * one request must not be awaited by another. After `undefined` or a failure the next call asks again.
 */
export function askedOnce<Answer>(ask: () => Promise<Answer | undefined>): () => Promise<Answer | undefined> {
  let answer: Answer | undefined
  return async () => {
    answer ??= await ask()
    return answer
  }
}
