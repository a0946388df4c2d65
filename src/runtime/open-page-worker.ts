/**
 * Starts the thread in which pages are read. This file lies beside that of the thread: in a compiled csp both names are
 * relative to the program itself.
 */
export function openPageWorker(): Worker {
  return new Worker(new URL('./page-worker.ts', import.meta.url))
}
