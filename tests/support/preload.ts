import { setDefaultTimeout } from 'bun:test'

// bunfig.toml has Bun load this before the tests. It overrides `--timeout`; set TEST_TIMEOUT (milliseconds) instead.
setDefaultTimeout(Number(process.env['TEST_TIMEOUT'] ?? 180_000))
