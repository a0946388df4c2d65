import { onGithub } from './github.ts'
import type { FormsOf } from './site.ts'

/** A file of a repository: scripts make the page around it. The host of its text has no tight limit. */
export const githubFile: FormsOf = (page) => {
  const [, repository, file] = onGithub(page, /^\/([\w-]+\/[\w.-]+)\/(?:blob|raw)\/([^/]+\/.+)$/)
  if (!repository) return []
  return [{ addresses: [`https://raw.githubusercontent.com/${repository}/${file}`], accept: 'text/plain, */*;q=0.5' }]
}
