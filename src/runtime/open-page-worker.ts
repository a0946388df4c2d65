/**
 * Starts the thread in which pages are read. This file lies beside that of the thread: in a compiled csp both names are
 * relative to the program itself, and in the bundle of the package both are JavaScript.
 */
export function openPageWorker(): Worker {
  const name = import.meta.path.endsWith('.js') ? 'page-worker.js' : 'page-worker.ts'
  return new Worker(new URL(`./${name}`, import.meta.url))
}
