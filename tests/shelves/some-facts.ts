import manifest from '../../package.json' with { type: 'json' }
import { type Facts, factsOf } from '../../scripts/shelves/facts.ts'

const { name, version } = manifest

/** The files of a release that shelves name, each with a checksum of its own. */
export const releaseFiles = [`${name}-${version}.tgz`, `csp-${version}.mcpb`, `csp-${version}-windows-x64.exe`]

export const sums = new Map(releaseFiles.map((file, index) => [file, String(index + 1).repeat(64)]))

/** What the shelves know when Jo publishes csp. */
export const facts: Facts = factsOf(sums, 'Jo-Doe/csp.search')
