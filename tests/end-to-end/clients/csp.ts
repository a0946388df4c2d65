import { cspOnSandbox } from '../../support/csp-on-sandbox.ts'

/**
 * The one csp that all clients of this folder ask: a csp and its CLIs cost three seconds of a core, and a CLI that is
 * replaced after twenty requests half a second.
 */
export const { csp, standIn } = await cspOnSandbox(['--max-session-searches', '1000'])
