import { setDefaultTimeout } from 'bun:test'

// Tests start true programs, which take their time on a busy machine. `timeout` in bunfig.toml has no effect.
setDefaultTimeout(30_000)
