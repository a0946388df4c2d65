import { messageOf } from '@csp/lib/errors'
import { Interrupted } from '../../config/usage-error.ts'
import { csp } from '../../shell/program.ts'
import type { Shell } from '../../shell/shell.ts'
import { safeLine } from '../../shell/terminal.ts'
import { confirm } from '../confirm.ts'
import type { Finding } from './finding.ts'

/** A finding, and what became of it: `undefined` if nothing was tried. */
export interface MendedFinding extends Omit<Finding, 'mend'> {
  readonly mended?: boolean | undefined
}

/**
 * Mends what can be mended: says what it is about to do, and asks unless it `isAgreed`. Throws a `UsageError` where
 * somebody would have to be asked, and nobody is there.
 */
export async function mendFindings(
  findings: readonly Finding[],
  shell: Shell,
  isAgreed: boolean,
): Promise<readonly MendedFinding[]> {
  const mended: MendedFinding[] = []
  for (const { mend, ...finding } of findings) {
    const isWanted = mend !== undefined && (await agrees(shell, mend, isAgreed))
    if (!mend || !isWanted) {
      mended.push(finding)
      continue
    }
    const problem = await mend.run().then(
      (helped) => (helped ? undefined : 'That did not help.'),
      (error: unknown) => {
        if (error instanceof Interrupted) throw error
        return messageOf(error)
      },
    )
    shell.output.write(problem === undefined ? '  Done.\n' : `  ${safeLine(problem)}\n`)
    mended.push({ ...finding, mended: problem === undefined })
  }
  return mended
}

async function agrees(shell: Shell, mend: NonNullable<Finding['mend']>, isAgreed: boolean): Promise<boolean> {
  const text = mend.what
  if (isAgreed) {
    if (mend.asks && !shell.output.isTerminal) return false
    shell.output.write(`${text}\n`)
    return true
  }
  const instead = `Not a terminal: cannot prompt. ${csp} doctor --fix --yes asks nothing.`
  return confirm(shell, `${text}?`, { usual: 'yes', instead })
}

/** Whether something is still wrong, or may be. */
export function isOpen({ status, mended }: MendedFinding): boolean {
  return status !== 'ok' && mended !== true
}
