/** What is used here of workerd's Durable Objects; the package with all their types is not among the dependencies. */

export interface ObjectState {
  readonly storage: { readonly sql: Sql }
  acceptWebSocket(socket: EdgeSocket, tags: readonly string[]): void
  getWebSockets(tag?: string): readonly EdgeSocket[]
  setWebSocketAutoResponse(pair: unknown): void
  getWebSocketAutoResponseTimestamp(socket: EdgeSocket): Date | null
}

export interface Sql {
  exec(query: string, ...bindings: readonly (string | number)[]): { readonly rowsWritten: number }
}

/** The edge's end of a socket that outlives the object's sleep. */
export interface EdgeSocket {
  readonly readyState: number
  send(message: string | Uint8Array): void
  close(code: number, reason: string): void
  /** Keeps up to 16,000 characters with the socket, also while the object sleeps. */
  serializeAttachment(value: unknown): void
  deserializeAttachment(): unknown
}
