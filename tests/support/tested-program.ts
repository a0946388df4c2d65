import { join } from 'node:path'

/**
 * The folder of the csp that tests start: what `npm test` has bundled, as npm's package has it, since the sources take
 * a third of a second more at each start. A test file that runs by itself has the checkout.
 */
export const testedFolder = process.env['TESTED_FOLDER'] || join(import.meta.dir, '../..')

/** What a user starts. */
export const launcher = join(testedFolder, 'bin/csp.mjs')

/** What the launcher has Bun run. */
export const entry = join(testedFolder, process.env['TESTED_FOLDER'] ? 'dist/csp/entry.js' : 'src/runtime/entry.ts')

/** How a test starts csp: of `npm test` without the launcher, whose node takes as long as a start of csp. */
export const command: readonly string[] = process.env['TESTED_FOLDER']
  ? [
      ...[process.execPath, '--no-orphans', '--no-env-file', '--no-install'],
      ...[`--config=${join(testedFolder, 'bunfig.toml')}`, `--tsconfig-override=${join(testedFolder, 'package.json')}`],
      entry,
    ]
  : ['node', launcher]
