/** A loop over what has arrived already lets others have a turn once in so many milliseconds. */
const maxMs = 8

/** Sees to it that a loop that hardly waits for anything does not keep all others waiting. */
export class TurnClock {
  #begun = performance.now()

  /** Settles when others have had a turn; `undefined` while it is not time for that. */
  rest(): Promise<void> | undefined {
    if (performance.now() - this.#begun < maxMs) return undefined
    return new Promise((resolve) =>
      setTimeout(() => {
        this.#begun = performance.now()
        resolve()
      }),
    )
  }
}
