/** A port of this machine that nothing listens on, as a flag takes it. */
export function freePort(): string {
  const probe = Bun.serve({ port: 0, fetch: () => new Response() })
  const { port } = probe
  void probe.stop(true)
  return String(port)
}
