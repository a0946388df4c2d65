import { type ChildProcess, spawn } from 'node:child_process'

/**
 * The reaper is a shell that outlives this process by a moment and kills the groups that it left behind: any end of this
 * process, even SIGKILL, closes the reaper's input. A CLI does not stop when its own input closes: in the middle of a
 * call it runs on until the call is over. Where there is no shell it does nothing.
 */
let reaper: ChildProcess | undefined

/** Has the reaper kill this group of processes if this process ends before them. */
export function watchGroup(pid: number): void {
  if (reaper === undefined) reaper = startReaper(pid)
  else tellReaper(`+ ${pid}`)
}

export function unwatchGroup(pid: number): void {
  tellReaper(`- ${pid}`)
}

function tellReaper(line: string): void {
  if (reaper?.stdin?.writable) reaper.stdin.write(`${line}\n`)
}

/** The first group goes as an argument: on Bun the first line to a new process is written only after a while. */
function startReaper(first: number): ChildProcess {
  // A group of its own, so that neither Ctrl-C nor the end of the terminal reaches it.
  const shell = spawn('/bin/sh', ['-c', reaperScript, 'sh', String(first)], {
    env: {},
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.on('error', () => {})
  shell.stdin.on('error', () => {})
  // It keeps no process going.
  shell.unref()
  return shell
}

/**
 * Bun with `--no-orphans` has its children killed at its end, but not theirs: so a child of this shell does the work. A
 * Bun that is killed within milliseconds of its first start of a CLI, before that child stands, leaves what the CLI has
 * started by then.
 */
const reaperScript = `exec 3<&0
{
  groups=" $1 "
  while read -r sign group; do
    case $sign in
      +) groups="$groups$group " ;;
      -) groups="\${groups%% $group *} \${groups#* $group }" ;;
    esac
  done
  for group in $groups; do kill -KILL "-$group"; done
} <&3 3<&- &
wait`
