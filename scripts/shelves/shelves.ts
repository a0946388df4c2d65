import { claudeDesktop } from './claude.ts'
import { casaos, homeAssistant, image, umbrel } from './containers.ts'
import type { Facts } from './facts.ts'
import { mcpRegistry } from './mcp-registry.ts'
import { aur, homebrew, nix, winget } from './packages.ts'

const shelves = { mcpRegistry, claudeDesktop, image, homebrew, nix, aur, winget, homeAssistant, umbrel, casaos }

/** The files of all shelves, by their paths below one folder. */
export function shelfFiles(facts: Facts): Readonly<Record<string, string>> {
  return Object.assign({}, ...Object.values(shelves).map((shelf) => shelf(facts)))
}
