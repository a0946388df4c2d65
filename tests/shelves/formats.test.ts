import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import manifest from '../../package.json' with { type: 'json' }
import { claudeCode } from '../../scripts/shelves/claude.ts'
import { factsOf, parseSums } from '../../scripts/shelves/facts.ts'
import { iconFile, iconFiles } from '../../scripts/shelves/icons.ts'
import { shelfFiles } from '../../scripts/shelves/shelves.ts'
import { settings } from '../../src/runtime/config/settings.ts'
import { parseRepository } from '../../src/runtime/shell/distribution.ts'
import { createPage } from '../../src/web-ui/page.tsx'
import { commands } from '../support/commands.ts'
import { facts, releaseFiles, sums } from './some-facts.ts'

// The rules of each registry, as far as they can be checked without it; programs.test.ts runs the programs that some bring.

const root = join(import.meta.dir, '../..')
const files = shelfFiles(facts)
const { name, version } = manifest

function file(end: string): string {
  const found = Object.keys(files).filter((path) => path.endsWith(end))
  expect([end, found.length]).toEqual([end, 1])
  return files[found[0] ?? ''] ?? ''
}

const yaml = (end: string) => Object(Bun.YAML.parse(file(end)))
const address = z.url({ protocol: /^https$/ })
const digest = z.string().regex(/^[a-f0-9]{64}$/)

describe('what the shelves say', () => {
  test('follows the repository, which may be set once or given', () => {
    expect(parseRepository('github:jo/csp')).toEqual(parseRepository('jo/csp'))
    for (const wrong of ['', 'jo', 'jo/csp/more', 'jo/c sp', "jo/csp'; rm", 'https://github.com/jo/csp'])
      expect([wrong, parseRepository(wrong)]).toEqual([wrong, undefined])
    expect(() => factsOf(sums, 'jo')).toThrow('must be OWNER/NAME')
    const all = Object.values(files).join('\n')
    expect(all).not.toContain('OWNER')
    const repositories = [...all.matchAll(/github\.com\/([^/\s"']+\/[^/\s"']+?)(?:\.git)?(?=[/\s"'])/g)].map(
      ([, own]) => own,
    )
    expect([...new Set(repositories)]).toEqual(['Jo-Doe/csp.search'])
  })

  test('names files of the release, with their checksums, and none that it lacks', () => {
    const all = Object.values(files).join('\n')
    const named = [...all.matchAll(/\/releases\/download\/v([\d.]+)\/([\w.-]+)/g)]
    expect([...new Set(named.map(([, , file]) => file))].toSorted()).toEqual([...releaseFiles, iconFile].toSorted())
    for (const [, of] of named) expect(of).toBe(version)
    for (const sum of sums.values()) expect(all.toLowerCase()).toContain(sum)
    expect(() => shelfFiles(factsOf(new Map(), 'jo/csp'))).toThrow('npm run release')
    expect([...parseSums(`${'a'.repeat(64)}  b.tgz\n`)]).toEqual([['b.tgz', 'a'.repeat(64)]])
  })

  test('has commands and flags that csp has', () => {
    const compose = [yaml('csp-search/docker-compose.yml'), yaml('casaos/Apps/csp/docker-compose.yml')]
    const starts: string[] = compose.map(({ services }) => services.csp.entrypoint[2])
    const [, inScript = ''] = /'-c', '([^']+)'/.exec(file('run.mjs')) ?? []
    for (const start of [...starts, inScript]) {
      const calls = [...start.matchAll(/\bcsp ((?:[a-z]+|--[a-z-]+| )+)/g)].map(([, words = '']) =>
        words.trim().split(' '),
      )
      expect(calls.length).toBeGreaterThan(1)
      for (const [name, ...words] of calls) {
        const options = Object.keys(commands.find((each) => each.name === name)?.options ?? { unknown: '' })
        const flags = words.filter((word) => word.startsWith('--'))
        const camel = (flag: string) => flag.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
        expect([name, flags.filter((flag) => !options.includes(camel(flag)))]).toEqual([name, []])
        expect(options).not.toContain('unknown')
      }
    }
  })

  test('has names of settings that csp has', () => {
    const known = new Set(settings.map(({ variable }) => variable))
    const named = [
      ...Object.values(files)
        .join('\n')
        .matchAll(/\bCSP_[A-Z_]+/g),
    ].map(([variable]) => variable)
    expect(named.filter((variable) => !known.has(variable) && variable !== 'CSP_VERSION')).toEqual([])
  })
})

// https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json
test('server.json has what the registry of MCP requires, and the name that the package has', () => {
  const entry = z.strictObject({
    $schema: address,
    name: z
      .string()
      .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
      .max(200),
    title: z.string().min(1).max(100),
    description: z.string().min(1).max(100),
    repository: z.strictObject({ url: address, source: z.literal('github') }),
    version: z.literal(version),
    websiteUrl: address,
    packages: z.tuple([
      z.strictObject({
        registryType: z.literal('npm'),
        identifier: z.literal(name),
        version: z.literal(version),
        runtimeHint: z.literal('npx'),
        transport: z.strictObject({ type: z.literal('stdio') }),
        packageArguments: z.array(z.strictObject({ type: z.literal('positional'), value: z.string() })),
        environmentVariables: z.array(
          z.strictObject({
            name: z.string(),
            description: z.string(),
            isRequired: z.boolean(),
            format: z.enum(['string', 'number', 'boolean', 'filepath']),
          }),
        ),
      }),
      z.strictObject({
        registryType: z.literal('mcpb'),
        identifier: address.regex(/mcpb$/),
        fileSha256: digest,
        transport: z.strictObject({ type: z.literal('stdio') }),
      }),
    ]),
  })
  expect(entry.parse(JSON.parse(file('server.json'))).name).toBe(`io.github.Jo-Doe/${name}`)
  expect(facts.mcpName).toBe(`io.github.Jo-Doe/${name}`)
})

// https://aka.ms/winget-manifest.installer.1.10.0.schema.json and its kin
test('winget gets three manifests, in the folder and under the names that its repository has', () => {
  const paths = Object.keys(files).filter((path) => path.startsWith('winget/'))
  const id = `Jo-Doe.${name}`
  const folder = `winget/manifests/j/Jo-Doe/${name}/${version}`
  const suffixes = ['', '.installer', '.locale.en-US']
  expect(paths.toSorted()).toEqual(suffixes.map((suffix) => `${folder}/${id}${suffix}.yaml`).toSorted())
  const about = {
    PackageIdentifier: z.literal(id).and(z.string().regex(/^[^.\s\\/:*?"<>|]{1,32}(\.[^.\s\\/:*?"<>|]{1,32}){1,7}$/)),
    PackageVersion: z.literal(version),
    ManifestVersion: z.literal('1.10.0'),
  }
  z.strictObject({ ...about, DefaultLocale: z.literal('en-US'), ManifestType: z.literal('version') }).parse(
    yaml(`${id}.yaml`),
  )
  z.strictObject({
    ...about,
    InstallerType: z.literal('portable'),
    Commands: z.array(z.string().max(40)).max(16),
    Installers: z.array(
      z.strictObject({
        Architecture: z.literal('x64'),
        InstallerUrl: address,
        InstallerSha256: z.string().regex(/^[A-F0-9]{64}$/),
      }),
    ),
    ManifestType: z.literal('installer'),
  }).parse(yaml('.installer.yaml'))
  const texts = { Publisher: z.string().min(2), PackageName: z.string().min(2), License: z.string().min(3) }
  const locale = { ...about, ...texts, ManifestType: z.literal('defaultLocale'), PackageLocale: z.literal('en-US') }
  z.looseObject({
    ...locale,
    ShortDescription: z.string().min(3).max(256),
    Moniker: z.string().max(40),
    Tags: z.array(z.string().max(40)).max(16),
  }).parse(yaml('.locale.en-US.yaml'))
})

// The schema of the Supervisor: supervisor/addons/validate.py
test('Home Assistant gets a repository with one app, whose script reads the options that it asks for', () => {
  z.strictObject({ name: z.string(), url: address, maintainer: z.string() }).parse(yaml('repository.yaml'))
  const config = z
    .strictObject({
      name: z.string(),
      version: z.literal(version),
      slug: z.string().regex(/^[-_.A-Za-z0-9]+$/),
      description: z.string(),
      url: address,
      arch: z.array(z.enum(['amd64', 'aarch64'])),
      startup: z.enum(['initialize', 'system', 'services', 'application', 'once']),
      boot: z.enum(['auto', 'manual', 'manual_only']),
      webui: z.string().regex(/^(?:https?|\[PROTO:\w+\]):\/\/\[HOST\]:\[PORT:\d+\].*$/),
      watchdog: z.string().regex(/^(?:https?|tcp):\/\/\[HOST\]:(\[PORT:\d+\]|\d+).*$/),
      ports: z.record(z.string().regex(/^\d+\/tcp$/), z.number()),
      ports_description: z.record(z.string(), z.string()),
      options: z.record(z.string(), z.null()),
      schema: z.record(z.string(), z.enum(['password', 'password?'])),
    })
    .parse(yaml('csp/config.yaml'))
  for (const option of Object.keys(config.schema)) expect(file('run.mjs')).toContain(option)
  expect(file('csp/Dockerfile')).toContain(`FROM ghcr.io/jo-doe/csp.search:${version}\n`)
})

// What apps there have: github.com/getumbrel/umbrel-apps, and AppManifest in umbreld
test('Umbrel gets a store with one app, whose proxy leads to the service', () => {
  const store = z
    .strictObject({ id: z.string().regex(/^[a-z-]+$/), name: z.string() })
    .parse(yaml('umbrel-app-store.yml'))
  const text = z.string().min(1)
  const app = z
    .looseObject({
      manifestVersion: z.literal(1),
      id: z.string().regex(/^[a-z-]+$/),
      ...{ name: text, category: text, version: text, developer: text, submitter: text, description: text },
      tagline: z.string().max(50),
      ...{ icon: address, website: address, submission: address, support: address },
      port: z.number().int(),
      gallery: z.array(address),
      deterministicPassword: z.literal(true),
    })
    .parse(yaml('umbrel-app.yml'))
  expect(app.id.startsWith(`${store.id}-`)).toBe(true)
  const { services } = yaml('csp-search/docker-compose.yml')
  expect(services.app_proxy.environment.APP_HOST).toBe(`${app.id}_csp_1`)
  expect(services.app_proxy.environment.APP_PORT).toBe(app.port)
  expect(services.csp.environment).toEqual({ CSP_API_KEYS: `$${'{APP_PASSWORD}'}` })
  expect(files[`umbrel/${app.id}/data/.gitkeep`]).toBe('')
})

// CONTRIBUTING.md and the apps of github.com/IceWhaleTech/CasaOS-AppStore
test('CasaOS gets a Compose file whose main service is there, with a port that it publishes', () => {
  const compose = yaml('casaos/Apps/csp/docker-compose.yml')
  const about = compose['x-casaos']
  const english = z.looseObject({ en_US: z.string().min(1) })
  z.looseObject({
    id: z.string().regex(/^[a-z0-9.-]+$/),
    architectures: z.array(z.enum(['amd64', 'arm64', 'arm'])),
    ...{ main: z.string(), author: z.string(), category: z.literal('AI') },
    ...{ title: english, tagline: english, description: english },
    ...{ icon: address, screenshot_link: z.array(address).min(1), port_map: z.string(), index: z.literal('/') },
  }).parse(about)
  expect(compose.name).toMatch(/^[a-z0-9][a-z0-9_-]*$/)
  const main = compose.services[about.main]
  expect(main.ports.map(({ published }: { published: string }) => published)).toEqual([about.port_map])
  expect(main.image).toBe(`ghcr.io/jo-doe/csp.search:${version}`)
})

test('the image is built from the package, says where it comes from, and has nothing of the vendor', () => {
  const text = file('image/Containerfile')
  for (const label of ['title', 'description', 'version', 'licenses', 'url', 'source', 'documentation'])
    expect(text).toContain(`org.opencontainers.image.${label}="`)
  expect(text).toContain(`COPY ${name}-${version}.tgz /tmp/\n`)
  expect(text).not.toContain('@anthropic-ai')
  expect(text.match(/^FROM /gm)).toEqual(['FROM '])
  for (const instruction of ['USER node', 'VOLUME /home/node', 'HEALTHCHECK', 'ENTRYPOINT ["csp"]', 'CMD ["serve"]'])
    expect(text).toContain(`\n${instruction}`)
})

test('.SRCINFO says what PKGBUILD does', () => {
  const [recipe, summary] = [file('PKGBUILD'), file('.SRCINFO')]
  const rows = [...summary.matchAll(/^\t?(\w+) = (.+)$/gm)].filter(([, key]) => key !== 'pkgbase')
  expect(rows.length).toBeGreaterThan(12)
  for (const [, key = '', value = ''] of rows) {
    const line = recipe.split('\n').find((each) => each.startsWith(`${key}=`))
    expect([key, line?.includes(value)]).toEqual([key, true])
  }
})

describe('the plugin for Claude Code', () => {
  test('stands in the repository as npm run shelves writes it', () => {
    for (const [path, text] of Object.entries(claudeCode(facts)))
      expect([path, existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8')]).toEqual([path, text])
  })
})

// docs.openclaw.ai/clawhub/plugin-validation-fixes
test('the plugin for OpenClaw has what ClawHub asks for, and the version of csp', () => {
  const folder = join(root, 'integrations/openclaw')
  const plugin = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const own = JSON.parse(readFileSync(join(folder, 'openclaw.plugin.json'), 'utf8'))
  expect(plugin.version).toBe(version)
  for (const entry of [...plugin.openclaw.extensions, ...plugin.files])
    expect([entry, existsSync(join(folder, entry))]).toEqual([entry, true])
  const atLeast = z.string().regex(/^>=\d{4}\.\d+\.\d+$/)
  z.looseObject({
    install: z.looseObject({ clawhubSpec: z.literal(`clawhub:${plugin.name}`), minHostVersion: atLeast }),
    compat: z.looseObject({ pluginApi: atLeast }),
    build: z.looseObject({ openclawVersion: z.string() }),
  }).parse(plugin.openclaw)
  z.looseObject({ id: z.string().min(1), name: z.string().min(1), configSchema: z.looseObject({}) }).parse(own)
})

describe('the icon', () => {
  /** Width and height, as the header of a PNG says. */
  function headOf(png: Uint8Array) {
    const view = new DataView(png.buffer, png.byteOffset)
    expect([...png.slice(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10])
    return [view.getUint32(16), view.getUint32(20)]
  }

  test('is square, as large as each store wants it, and small enough for all of them', async () => {
    for (const [path, png] of Object.entries(await iconFiles())) {
      const pixels = path.startsWith('home-assistant/') ? 128 : 512
      expect([path, ...headOf(png)]).toEqual([path, pixels, pixels])
      expect(png.length).toBeLessThan(40_000)
    }
  })

  test('lies where the manifests look for it, and is what the page shows', async () => {
    const icons = Object.keys(await iconFiles())
    expect(icons).toContain(`claude-desktop/${JSON.parse(file('claude-desktop/manifest.json')).icon}`)
    for (const { icon } of [yaml('umbrel-app.yml'), yaml('casaos/Apps/csp/docker-compose.yml')['x-casaos']])
      expect(icon).toBe(facts.download(iconFile))
    const { markup } = createPage()
    const shown = /rel="icon" href="data:image\/svg\+xml,([^"]+)"/.exec(
      markup({ url: 'http://a', needsKey: false, isDirect: true, notice: undefined }),
    )
    const drawing = readFileSync(join(root, 'src/web-ui/browser/icon.svg'), 'utf8')
    expect(decodeURIComponent(shown?.[1] ?? '')).toBe(drawing.trim())
  })
})
