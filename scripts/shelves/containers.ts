// The image, and the home servers that run it. It has csp alone: the Claude Code CLI is its vendor's, so a csp of one of
// these fetches it from npm at its first start, which the description of each says.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Facts } from './facts.ts'
import { iconFile } from './icons.ts'
import { type Shelf, yaml } from './shelf.ts'

const home = '/home/node'

/** A folder to build the image from, once the package of the release is put beside the file. */
export const image: Shelf = (facts) => {
  const own = readFileSync(join(import.meta.dir, '../../Containerfile'), 'utf8')
  const begin = own.indexOf('# Other machines reach it')
  if (begin < 0) throw new Error('The Containerfile has no longer the part that the image of a release shares with it.')
  const labels = {
    title: facts.name,
    description: facts.description,
    version: facts.version,
    licenses: facts.license,
    url: facts.url,
    source: facts.url,
    documentation: `${facts.url}/blob/main/docs/containers.md`,
  }
  const lines = Object.entries(labels).map(([key, value]) => `org.opencontainers.image.${key}=${JSON.stringify(value)}`)
  return {
    'image/Containerfile': `# csp ${facts.version} from its package. The Claude Code CLI is fetched by csp init, or at csp login.
FROM node:24-slim
COPY ${facts.tarball} /tmp/
RUN npm install --global --no-audit --no-fund /tmp/${facts.tarball} && npm cache clean --force && rm /tmp/${facts.tarball}
LABEL ${lines.join(' \\\n  ')}

${own.slice(begin)}`,
  }
}

/** Fetches the CLI where it is missing, then serves. csp itself serves signed out, too. */
const start = 'csp init --yes --clients none --serve no --no-search; exec csp serve'
const aboutCli =
  'At its first start it fetches the Claude Code CLI from npm (some 170 MB, 370 MB on disk). Your own subscription and login are needed; csp never sees a token.'
const aboutLogin = 'Sign in: run csp login --token on a computer with a browser, and put the token into the settings.'

/** A repository of apps for Home Assistant, with one app. Home Assistant builds it on the device, from the image. */
export const homeAssistant: Shelf = (facts) => ({
  'home-assistant/repository.yaml': yaml({ name: 'csp', url: facts.url, maintainer: facts.owner }),
  'home-assistant/csp/config.yaml': yaml({
    name: 'csp',
    version: facts.version,
    slug: 'csp',
    description: facts.description,
    url: facts.url,
    arch: ['amd64', 'aarch64'],
    startup: 'application',
    boot: 'auto',
    webui: `http://[HOST]:[PORT:${facts.port}]/`,
    watchdog: `http://[HOST]:[PORT:${facts.port}]/health/live`,
    ports: { [`${facts.port}/tcp`]: facts.port },
    ports_description: { [`${facts.port}/tcp`]: 'The search API and its page' },
    // Both are asked for: without a key csp serves no other machine.
    options: { key: null, claude_code_oauth_token: null },
    schema: { key: 'password', claude_code_oauth_token: 'password?' },
  }),
  'home-assistant/csp/Dockerfile': `FROM ${facts.image}:${facts.version}
# Home Assistant keeps /data, which belongs to root.
USER root
ENV HOME=/data
COPY run.mjs /run.mjs
ENTRYPOINT ["node", "/run.mjs"]
CMD []
`,
  'home-assistant/csp/run.mjs': `// The options of the app are in a file; csp reads variables.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { key, claude_code_oauth_token: token } = JSON.parse(readFileSync('/data/options.json', 'utf8'))
const env = { ...process.env, CSP_API_KEYS: key, ...(token && { CLAUDE_CODE_OAUTH_TOKEN: token }) }
const child = spawn('sh', ['-c', '${start}'], { stdio: 'inherit', env })
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.on('exit', (code) => process.exit(code ?? 1))
`,
  'home-assistant/csp/DOCS.md': `# csp

${facts.description}

1. Under Configuration, set a key of 16 characters or more. Programs send it with each search.
2. ${aboutLogin}
3. Start the app. ${aboutCli}

Programs reach it at http://homeassistant.local:${facts.port}.
`,
})

/** A store for Umbrel with one app. Umbrel shows its user the password that csp takes as its key. */
export const umbrel: Shelf = (facts) => {
  const id = 'csp-search'
  return {
    'umbrel/umbrel-app-store.yml': yaml({ id: 'csp', name: 'csp' }),
    [`umbrel/${id}/umbrel-app.yml`]: yaml({
      manifestVersion: 1,
      id,
      name: 'csp',
      tagline: facts.tagline,
      icon: facts.download(iconFile),
      category: 'ai',
      version: facts.version,
      port: facts.port,
      description: `${facts.description}\n\n${aboutCli} ${aboutLogin}`,
      developer: facts.owner,
      website: facts.url,
      submitter: facts.owner,
      submission: facts.url,
      repo: facts.url,
      support: `${facts.url}/issues`,
      gallery: [`${facts.url}/raw/v${facts.version}/docs/page.png`],
      releaseNotes: '',
      dependencies: [],
      path: '',
      defaultUsername: '',
      deterministicPassword: true,
    }),
    [`umbrel/${id}/docker-compose.yml`]: yaml({
      version: '3.7',
      services: {
        app_proxy: {
          // Programs have no login of Umbrel's; csp asks each of them for the key.
          environment: { APP_HOST: `${id}_csp_1`, APP_PORT: facts.port, PROXY_AUTH_ADD: 'false' },
        },
        csp: {
          ...service(facts),
          environment: { CSP_API_KEYS: variable('APP_PASSWORD') },
          volumes: [`${variable('APP_DATA_DIR')}/data:${home}`],
        },
      },
    }),
    [`umbrel/${id}/data/.gitkeep`]: '',
  }
}

/** An app of CasaOS and ZimaOS. It has no field for a password, so csp makes a key at the first start, in the app's log. */
export const casaos: Shelf = (facts) => ({
  'casaos/Apps/csp/docker-compose.yml': yaml({
    name: 'csp',
    services: {
      csp: {
        ...service(facts),
        entrypoint: ['sh', '-c', `csp keys list | grep -q casaos || csp keys add casaos --no-qr; ${start}`],
        environment: { CLAUDE_CODE_OAUTH_TOKEN: '' },
        ports: [{ target: facts.port, published: String(facts.port), protocol: 'tcp' }],
        // A folder of the host would belong to root.
        volumes: [{ type: 'volume', source: 'csp', target: home }],
        'x-casaos': {
          envs: [{ container: 'CLAUDE_CODE_OAUTH_TOKEN', description: { en_US: 'What csp login --token printed' } }],
          ports: [{ container: String(facts.port), description: { en_US: 'The search API and its page' } }],
          volumes: [{ container: home, description: { en_US: 'Login, settings, keys and cache' } }],
        },
      },
    },
    volumes: { csp: {} },
    'x-casaos': {
      id: `io.github.${facts.owner.toLowerCase()}.csp`,
      architectures: ['amd64', 'arm64'],
      main: 'csp',
      author: facts.owner,
      developer: facts.owner,
      category: 'AI',
      title: { en_US: 'csp' },
      tagline: { en_US: facts.tagline },
      description: { en_US: `${facts.description} ${aboutCli}` },
      tips: { before_install: { en_US: `${aboutLogin} The key for programs is in the log of the first start.` } },
      icon: facts.download(iconFile),
      screenshot_link: [`${facts.url}/raw/v${facts.version}/docs/page.png`],
      port_map: String(facts.port),
      scheme: 'http',
      index: '/',
    },
  }),
})

/** What the image needs wherever it runs. Init hands the signal on; csp lets running searches end. */
function service({ image, version }: Facts) {
  return {
    image: `${image}:${version}`,
    user: '1000:1000',
    init: true,
    restart: 'unless-stopped',
    stop_grace_period: '15s',
    entrypoint: ['sh', '-c', start],
  }
}

/** A variable that the home server fills in. */
function variable(name: string): string {
  return `\${${name}}`
}
