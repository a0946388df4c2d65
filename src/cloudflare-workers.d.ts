/**
 * The part of workerd's API that csp uses. The package with the complete types is not among the dependencies. Only
 * `runtime/worker.ts` and `runtime/cloudflare/` import values from it: elsewhere there is no such module.
 */
declare module 'cloudflare:workers' {
  /** Keeps the Worker running after its reply until the work is done, for at most 30 s. */
  export function waitUntil(work: Promise<unknown>): void

  export interface ObjectState {
    readonly storage: { readonly sql: Sql }
    acceptWebSocket(socket: EdgeSocket, tags: readonly string[]): void
    getWebSockets(tag?: string): readonly EdgeSocket[]
    setWebSocketAutoResponse(pair: unknown): void
    getWebSocketAutoResponseTimestamp(socket: EdgeSocket): Date | null
  }

  export interface Sql {
    /** The rows, and how many rows were written. */
    exec(query: string, ...bindings: readonly (string | number)[]): Iterable<unknown> & { readonly rowsWritten: number }
  }

  /** The edge's end of a WebSocket, which stays open while the object hibernates. */
  export interface EdgeSocket {
    readonly readyState: number
    send(message: string | Uint8Array): void
    close(code: number, reason: string): void
    /** Stores up to 16,000 characters with the socket, also during hibernation. */
    serializeAttachment(value: unknown): void
    deserializeAttachment(): unknown
  }
}
