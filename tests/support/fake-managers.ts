import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Stand-ins for the programs of service managers, in a folder for PATH. None can run in a container. */
export interface FakeManagers {
  /** The folder of the programs. */
  readonly folder: string
  /** How they were called: a line for each. */
  calls(): readonly string[]
}

/** Each script is the body of one in `sh`; each call is written down first. */
export function fakeManagers(home: string, scripts: Readonly<Record<string, string>>): FakeManagers {
  const folder = join(home, 'fakes')
  const record = join(folder, 'calls')
  mkdirSync(folder, { recursive: true })
  for (const [name, body] of Object.entries(scripts)) {
    const text = `#!/bin/sh\necho "${name} $*" >>'${record}'\n${body}\n`
    writeFileSync(join(folder, name), text, { mode: 0o755 })
  }
  return {
    folder,
    calls: () => (existsSync(record) ? readFileSync(record, 'utf8').trimEnd().split('\n') : []),
  }
}

/**
 * A `systemctl` that runs what the unit of a home says, with the variables of the unit and no others. It reads units
 * whose words hold no `%`, `$` or backslash.
 */
export function fakeSystemctl(home: string): string {
  return `
cd '${home}'
unit='${home}/.config/systemd/user/csp.service'
end() { [ ! -e pid ] || { pid=$(cat pid); kill "$pid" 2>/dev/null; while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done; rm pid; }; }
begin() {
  words=$(sed -n 's/^Environment=//p' "$unit" | tr '\\n' ' ')
  program=$(sed -n 's/^ExecStart=//p' "$unit")
  eval "env -i HOME='${home}' TMPDIR='${home}' $words $program >>journal 2>&1 & echo \\$! >pid"
}
case "$2" in
  enable) touch enabled ;;
  disable) rm -f enabled; end ;;
  restart) end; begin ;;
  stop) end ;;
  is-enabled) if [ -e enabled ]; then echo enabled; else echo disabled; exit 1; fi ;;
  is-active) if [ -e pid ] && kill -0 "$(cat pid)" 2>/dev/null; then echo active; else echo failed; exit 3; fi ;;
esac`
}
