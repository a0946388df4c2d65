import manifest from '../../package.json' with { type: 'json' }

/** The version of csp, as published. */
export const version: string = manifest.version
