declare module 'cloudflare:workers' {
  /** Keeps the Worker running after its reply until the work is done; for 30 s at most. */
  export function waitUntil(work: Promise<unknown>): void
}
