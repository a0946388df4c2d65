/** The caller, percent-encoded. Trusted only when it comes through a tunnel. */
export const callerHeader = 'x-csp-caller'

/** The id of a request, so that both logs have the same. Trusted only when it comes through a tunnel. */
export const requestIdHeader = 'x-request-id'

/** The W3C's: which trace a request is part of. */
export const traceparentHeader = 'traceparent'

/** Set when nothing is read before the end, so that pieces of text need not come one by one. */
export const wholeHeader = 'x-csp-whole'

/** The model that writes where a request names none, in the reply to a search. */
export const modelHeader = 'x-csp-model'

/** Whether a header of a search reaches a home: those that `remote` sends. */
export function isPassedOn(name: string): boolean {
  return passedOfRequest.test(name)
}

/** Whether a header of a home's reply reaches the edge. */
export function isPassedBack(name: string): boolean {
  return passedOfReply.test(name)
}

const passedOfRequest = /^(accept|cache-control|content-type|traceparent|x-csp-caller|x-csp-whole|x-request-id)$/

const passedOfReply = /^(content-type|retry-after|x-csp-model)$/
