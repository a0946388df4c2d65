// Bundles what `csp` runs on Bun: `bun scripts/bundle-program.ts FOLDER`. Part of npm's package, and what the tests start.
import { join } from 'node:path'

const root = join(import.meta.dir, '..')

/** Writes `dist/csp` into the folder. Split, so that a start reads only what it needs. */
export async function bundleProgram(folder: string): Promise<void> {
  await bundle({
    entrypoints: [join(root, 'src/runtime/entry.ts')],
    outdir: join(folder, 'dist/csp'),
    target: 'bun',
    splitting: true,
    minify: true,
  })
}

export async function bundle(options: Bun.BuildConfig): Promise<void> {
  const { success, logs } = await Bun.build({ format: 'esm', plugins: [lightMcp], ...options })
  if (!success) throw new AggregateError(logs, 'A bundle could not be built.')
}

/** On node and Bun the SDK of MCP brings Ajv, once for servers and once for clients: 300 KB each, loaded at every start. */
const lightMcp: Bun.BunPlugin = {
  name: 'MCP without Ajv',
  setup(build) {
    build.onLoad({ filter: /@modelcontextprotocol[\\/](?:client|server)[\\/]dist[\\/]shimsNode\.mjs$/ }, () => ({
      loader: 'js',
      contents: `
        export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from './validators/cfWorker.mjs'
        export { default as process } from 'node:process'
        export const CORS_IS_POSSIBLE = false`,
    }))
  },
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (!folder) throw new Error('Name the folder that gets dist/csp.')
  await bundleProgram(folder)
}
