import { commandRows } from '../../src/runtime/cli/commands.ts'

/** Every command of csp, whole; `loaded` is the name that it gives itself. */
export const commands = await Promise.all(
  commandRows.map(async (row) => {
    const command = await row.load()
    return { ...command, ...row, loaded: command.name }
  }),
)
