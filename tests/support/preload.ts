import { plugin } from 'bun'

// bunfig.toml has Bun load this before the tests. A default timeout holds for the file that sets it alone, so each file of
// tests sets it, in its first line. TEST_TIMEOUT: milliseconds.
const timeout = Number(process.env['TEST_TIMEOUT'] ?? 180_000)

plugin({
  name: 'the timeout of tests',
  setup(build) {
    build.onLoad({ filter: /\/tests?\/(?:.*\/)?[^/]*\.tsx?$/ }, async ({ path, loader }) => ({
      contents: `import.meta.require('bun:test').setDefaultTimeout(${timeout}); ${await Bun.file(path).text()}`,
      loader,
    }))
  },
})
