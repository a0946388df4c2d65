/** Starts csp while a service of this plugin runs. One for the process, as all that the plugin registers is. */
let keeper

/** Starts csp with the gateway. csp ends by itself when the gateway has gone and no other program uses it. */
export function createService(system, settingsIn) {
  return {
    id: 'csp',
    reload: { configPrefixes: ['plugins.entries.csp.config'] },
    start({ config, logger, serviceHealth }) {
      const settings = settingsIn(config)
      const port = localPort(settings.baseUrl)
      if (settings.start === false || port === undefined) return
      const command = [settings.command ?? 'csp'].flat()
      const run = (...words) => runCsp(system, [...command, ...words, '--port', port])
      const own = { baseUrl: settings.baseUrl, run, logger, serviceHealth, starting: undefined }
      keeper = own
      // A gateway need not wait for it.
      void ensure(own)
    },
    async stop() {
      const own = keeper
      keeper = undefined
      await own?.starting
      await own?.run('stop', '--for', String(process.pid))
    },
  }
}

/** Has csp started again, where this gateway starts it. Resolves to whether it answers. */
export async function startAgain() {
  return keeper ? ensure(keeper) : false
}

/** By these csp knows the requests of a gateway that it was started for from those of other programs. */
export function holderHeaders() {
  return keeper ? { 'x-csp-holder': String(process.pid) } : {}
}

/** Of calls at the same time only one starts. */
function ensure(own) {
  own.starting ??= startOnce(own).finally(() => {
    own.starting = undefined
  })
  return own.starting
}

async function startOnce({ baseUrl, run, logger, serviceHealth }) {
  const { code, said } = await run('start', '--for', String(process.pid))
  if (code === 0) {
    // What follows is for a terminal.
    logger.info(said.split('. ', 1)[0])
    serviceHealth?.clearFailure()
    return true
  }
  if (await isThere(baseUrl)) {
    logger.info(`csp: uses the csp at ${baseUrl}, which was started otherwise.`)
    return true
  }
  const reason = code === undefined ? notFound(said) : said
  logger.warn(`csp: web_search, web_fetch and ask_web do not work: ${reason}`)
  serviceHealth?.reportFailure(new Error(reason))
  return false
}

function notFound(command) {
  return (
    `there is no program ${command} on this machine. Install it (npm install -g claude-search-proxy), or name it: ` +
    'openclaw config set plugins.entries.csp.config.command /path/to/csp. ' +
    'If csp runs elsewhere, set plugins.entries.csp.config.webSearch.baseUrl; start: false turns starting off.'
  )
}

/** The exit code of a command of csp's and what it said. No code: there is no such program. */
async function runCsp(system, argv) {
  try {
    const { code, stdout, stderr } = await system.runCommandWithTimeout(argv, { timeoutMs: startMs })
    return { code: code ?? -1, said: `${stdout}${stderr}`.trim().slice(-1000) || `${argv[0]} ended with code ${code}.` }
  } catch (error) {
    return error.code === 'ENOENT' ? { code: undefined, said: argv[0] } : { code: -1, said: error.message }
  }
}

/** csp gives up after 30 s itself, and says why. */
const startMs = 45_000

/** The port of an address of this machine. Elsewhere nothing can be started. */
function localPort(baseUrl) {
  if (!URL.canParse(baseUrl)) return undefined
  const { protocol, hostname, port } = new URL(baseUrl)
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
  return protocol === 'http:' && isLocal ? port || '80' : undefined
}

async function isThere(baseUrl) {
  try {
    const reply = await fetch(`${baseUrl.replace(/\/+$/, '')}/health/live`, { signal: AbortSignal.timeout(2000) })
    return reply.ok && reply.headers.has('x-csp')
  } catch {
    return false
  }
}
