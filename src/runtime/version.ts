import manifest from '../../package.json' with { type: 'json' }

/**
 * The version of csp, as published.
 * @example console.log(`csp ${version}`)
 */
export const version: string = manifest.version
