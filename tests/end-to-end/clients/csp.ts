import { cspOnSandbox } from '../../support/csp-on-sandbox.ts'

/** The one csp that all clients of this folder ask: a csp and its CLIs cost three seconds of a core. */
export const { csp, standIn } = await cspOnSandbox()
