/**
 * Where csp can be had. The one switch for the day when it is on npm: with `isPublished` (and the address of the
 * repository), messages follow, and `npm run docs` writes the pages anew.
 */
export const distribution = {
  isPublished: false,
  packageName: 'claude-search-proxy',
  /** OWNER stands for the account, which is not chosen yet. */
  repository: 'https://github.com/OWNER/claude-search-proxy',
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
