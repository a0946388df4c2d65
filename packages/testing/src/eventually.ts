/**
 * Waits until a condition holds that has no event. Throws when it does not hold in time. What takes long is looked at
 * less often: a look may be a request, or a walk through all processes.
 */
export async function eventually(holds: () => boolean | Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (let pauseMs = 10; !(await holds()); pauseMs = Math.min(100, pauseMs * 1.25)) {
    if (Date.now() > deadline) throw new Error(`Condition did not hold within ${timeoutMs} ms: ${holds}`)
    await Bun.sleep(pauseMs)
  }
}
