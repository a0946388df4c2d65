import { UsageError } from '../../config/usage-error.ts'
import { csp } from '../../shell/program.ts'
import { type Call, type Command, type CommandRow, defineCommand, exitCodes } from '../command.ts'
import { bashCompletions } from './bash.ts'
import { type CompletedCommand, completedCommands } from './completed-commands.ts'
import { zshCompletions } from './zsh.ts'

const scripts: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletions,
  zsh: zshCompletions,
}

/** `csp completions`: what a shell needs to complete csp's commands, flags and values. */
export function createCompletions(rows: readonly CommandRow[]): Command {
  return defineCommand({
    name: 'completions',
    usage: 'bash|zsh',
    details:
      'For bash, save them as ~/.local/share/bash-completion/completions/csp. For zsh, save them as _csp in a folder of fpath. Print them again after an update.',
    examples: [
      `${csp} completions bash > ~/.local/share/bash-completion/completions/csp`,
      `source <(${csp} completions zsh)`,
    ],
    options: {},
    words: Object.fromEntries(Object.keys(scripts).map((shell) => [shell, []])),
    arguments: { minimum: 1, maximum: 1 },
    async run({ shell, arguments: [name = ''] }: Call) {
      const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined
      if (!script) {
        throw new UsageError(
          `${csp} completions knows ${Object.keys(scripts).join(', ')}, not ${JSON.stringify(name)}.`,
        )
      }
      shell.output.write(script(await completedCommands(rows)))
      return exitCodes.done
    },
  })
}
