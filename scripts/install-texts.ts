import { distribution } from '../src/runtime/shell/distribution.ts'

/** The texts of the docs that tell how csp is installed, by the names of their places. */
export function installTexts({
  isPublished: isOnNpm,
  repository,
  packageName,
} = distribution): Readonly<Record<string, string>> {
  const checkout = [
    'In a clone of this repository:',
    '',
    '```sh',
    'npm install && npm run demo     # tries each API on sample pages: no account needed',
    'npx csp init                    # your login, your clients, a first real search; asks first',
    '```',
  ]
  const npm = [
    '```sh',
    `npm install -g ${packageName}`,
    'csp demo                        # tries each API on sample pages: no account needed',
    'csp init                        # your login, your clients, a first real search; asks first',
    '```',
  ]
  const calls = [
    '| Where | Call it |',
    '|---|---|',
    '| in the folder of a checkout | `npx csp …` |',
    '| in any other folder, with a checkout | `/path/to/checkout/bin/csp.mjs …` |',
    isOnNpm
      ? `| after \`npm install -g ${packageName}\` | \`csp …\` |`
      : '| anywhere, after `npm install -g .` in the checkout, which links to it | `csp …` |',
    ...(isOnNpm ? [`| without an install, or with it in a project | \`npx ${packageName} …\` |`] : []),
  ]
  const upgrades = [
    '| Installed by | Upgrade |',
    '|---|---|',
    ...(isOnNpm ? [`| \`npm install -g\` | \`npm install -g ${packageName}@latest\` |`] : []),
    '| a checkout | `git pull && npm install --omit=dev` |',
    '| the binary | put the new one in its place |',
    ...(isOnNpm
      ? [`| \`npx\`, \`bunx\` | nothing: they fetch it anew; \`npx ${packageName}@latest\` is the newest |`]
      : []),
  ]
  const needs = isOnNpm
    ? 'csp needs Node 20 and the Claude Code CLI 2.1.129 or newer; where that is missing, `csp init` asks whether to fetch it (370 MB).'
    : 'csp needs Node 20 and the Claude Code CLI 2.1.129 or newer, which `npm install` brings. `npm install -g .` puts `csp` on your PATH, as a link to this folder; without it, write `npx csp` here.'
  const library = isOnNpm
    ? ['```sh', `npm install ${packageName}`, '```']
    : [
        'The package is not on npm yet: build it in a checkout, and install it from there.',
        '',
        '```sh',
        'npm install && npm run package                 # in the checkout',
        'npm install /path/to/checkout/dist/package     # in your program',
        '```',
      ]
  const plugin = [
    '```text',
    // A marketplace can be a folder, too.
    `/plugin marketplace add ${isOnNpm ? repository.replace('https://github.com/', '') : '/path/to/checkout'}`,
    '/plugin install csp',
    '```',
  ]
  return Object.fromEntries(
    Object.entries({ start: [...(isOnNpm ? npm : checkout), '', needs], calls, upgrades, library, plugin }).map(
      ([name, lines]) => [name, lines.join('\n')],
    ),
  )
}
