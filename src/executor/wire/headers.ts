/** The caller, percent-encoded. Trusted only when it comes through a tunnel. */
export const callerHeader = 'x-csp-caller'

/** Whether a header of a client's request is passed on to the csp that answers it: only those that change the reply. */
export function isPassedOn(name: string): boolean {
  return passedOfRequest.test(name)
}

/**
 * Whether a header of that csp's reply goes back to the client: what concerns the reply, not the connection or the
 * site.
 */
export function isPassedBack(name: string): boolean {
  return passedOfReply.test(name)
}

const passedOfRequest =
  /^(accept|accept-language|cache-control|content-type|mcp-protocol-version|mcp-session-id|pragma|user-agent|x-(loc-country|pplx-integration|source))$/

const passedOfReply =
  /^(content-type|retry-after|age|server-timing|mcp-session-id|request-id|www-authenticate|x-(accel-buffering|cache|request-id|should-retry|csp-.+|ratelimit-.+))$/
