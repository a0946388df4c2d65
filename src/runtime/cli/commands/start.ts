import { StartError, startInBackground } from '../../background/background.ts'
import { isOfService, type RunningServerRecord, runningServers } from '../../background/running-servers.ts'
import { asCalled } from '../../shell/program.ts'
import { type Call, defineCommand, exitCodes, flagArguments } from '../command.ts'

/** `csp start`: `csp serve` without a terminal. */
export const start = defineCommand({
  name: 'start',
  usage: '[FLAGS]',
  summary: 'Serve in the background, until csp stop',
  details:
    'Takes the flags of csp serve. It ends with the machine; csp service install makes it start again with each login. csp logs shows its log.',
  examples: ['csp start', 'csp start --port 8080 --model haiku', 'csp logs -f'],
  options: {},
  arguments: { minimum: 0, maximum: 0 },
  run: runStart,
})

async function runStart({ shell, loaded: { config, warnings }, flags }: Call): Promise<number> {
  const { stateDir, port } = config
  for (const warning of warnings) shell.errors.write(`${warning}\n`)
  const running = (await runningServers(stateDir)).find((server) => server.port === port)
  if (running) {
    shell.output.write(asCalled(`${already(running)}\n`, shell.program))
    return exitCodes.done
  }
  try {
    const server = await startInBackground({ stateDir, environment: shell.environment, flags: flagArguments(flags) })
    shell.output.write(asCalled(`${started(server)}\n`, shell.program))
    return exitCodes.done
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    shell.errors.write(asCalled(`csp did not start. It said:\n${error.message}\n`, shell.program))
    return exitCodes.failed
  }
}

/** What is shown when a csp has started. */
export function started({ url, version, pid }: RunningServerRecord): string {
  return `csp ${version} listens on ${url} (process ${pid}). csp status shows how it is, csp logs what it says, csp stop ends it.`
}

function already({ url, version, pid, manager }: RunningServerRecord): string {
  const isService = isOfService({ manager })
  const where = manager === 'terminal' ? ', on a terminal' : isService ? ', as a service' : ''
  const restart = isService ? 'csp service restart' : 'csp restart'
  return `csp ${version} runs already at ${url} (process ${pid}${where}). ${restart} starts it again, csp stop ends it.`
}
