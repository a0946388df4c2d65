import { commandRows } from '../../src/runtime/cli/commands.ts'

/** Every command of csp, whole. */
export const commands = await Promise.all(commandRows.map(async (row) => ({ ...(await row.load()), ...row })))
