import manifest from '../../../package.json' with { type: 'json' }

/** A repository on GitHub. */
export interface Repository {
  readonly owner: string
  readonly name: string
  readonly url: string
}

/** Reads `OWNER/NAME`, also as `github:OWNER/NAME`. */
export function parseRepository(text: string): Repository | undefined {
  const [, owner, name] = /^(?:github:)?([\w-]{1,39})\/([\w.-]{1,100})$/.exec(text) ?? []
  return owner && name ? { owner, name, url: `https://github.com/${owner}/${name}` } : undefined
}

const own: { readonly name: string; readonly repository?: string } = manifest
const repository = own.repository === undefined ? undefined : parseRepository(own.repository)

/**
 * Where csp can be had. The one switch is `repository` in package.json (`github:OWNER/NAME`), which is set when csp gets
 * published: messages follow it, and the pages that `npm run docs` generates.
 */
export const distribution = {
  isPublished: repository !== undefined,
  packageName: own.name,
  /** OWNER stands for the account, which is not chosen yet. */
  repository: repository?.url ?? 'https://github.com/OWNER/claude-search-proxy',
}

const { isPublished, packageName } = distribution

/** What brings a newer csp, by how this one came here. */
export const upgradeWays = {
  checkout: 'git pull && npm install --omit=dev',
  package: isPublished ? `npm install -g ${packageName}@latest` : 'build and install a newer package',
  binary: 'its release has the new binary',
}

/** How to install csp so that it stays. */
export const installWay = isPublished ? `npm install -g ${packageName}` : 'npm install -g . in a checkout'

/** How a csp that was only run once becomes a service: installed, it is called by its bare name. */
export const serviceWay = `${installWay}, then csp start --at-login`
