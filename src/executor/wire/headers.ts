/** Who asks, percent-encoded. Believed only where it comes through a tunnel. */
export const callerHeader = 'x-csp-caller'

/** Whether a header of a client's request goes on to the csp that answers it. Keys and addresses do not. */
export function isPassedOn(name: string): boolean {
  return !keptOfRequest.test(name)
}

/** Whether a header of that csp's reply goes back to the client: what concerns the reply, not the connection or the site. */
export function isPassedBack(name: string): boolean {
  return passedOfReply.test(name)
}

const keptOfRequest =
  /^(authorization|x-api-key|x-subscription-token|cookie|host|origin|referer|connection|keep-alive|upgrade|te|trailer|transfer-encoding|content-length|accept-encoding|expect|forwarded|via|true-client-ip|x-real-ip|x-csp-caller|(cf|sec|proxy|x-forwarded|cdn)-.*)$/

const passedOfReply =
  /^(content-type|retry-after|age|server-timing|mcp-session-id|request-id|www-authenticate|x-(accel-buffering|cache|request-id|should-retry|csp-.+|ratelimit-.+))$/
