import { csp } from '../shell/program.ts'
import type { CommandRow } from './command.ts'

/** All that csp can do, by what it is for, in the order that help shows it. */
export const commandGroups: readonly (readonly [title: string, rows: readonly CommandRow[]])[] = [
  [
    'Search',
    [
      {
        name: 'search',
        summary: 'Search the web and list the results',
        load: async () => (await import('./search/search.ts')).search,
      },
      {
        name: 'ask',
        summary: 'Ask the web and get a written answer with sources',
        load: async () => (await import('./ask/ask.ts')).ask,
      },
      {
        name: 'research',
        summary: 'Write a report on a question that takes several searches',
        load: async () => (await import('./research/research.ts')).research,
      },
      {
        name: 'fetch',
        summary: 'Read one page of the web as Markdown',
        load: async () => (await import('./fetch/fetch.ts')).fetchCommand,
      },
      {
        name: 'verify',
        summary: 'Compare a claim with pages: found, partly, not-found or not-read',
        load: async () => (await import('./verify/verify.ts')).verify,
      },
      {
        name: 'receipt',
        summary: 'Show the evidence of a written answer, or list the last answers',
        load: async () => (await import('./receipt/receipt.ts')).receipt,
      },
      {
        name: 'jobs',
        summary: 'List, show and cancel answers in the background',
        load: async () => (await import('./jobs/jobs.ts')).jobs,
      },
      {
        name: 'mcp',
        summary: 'Serve the search tools over MCP on standard input and output',
        isServer: true,
        load: async () => (await import('./mcp/mcp.ts')).mcp,
      },
    ],
  ],
  [
    'Server',
    [
      {
        name: 'serve',
        summary: 'Serve the search API on this machine',
        isServer: true,
        load: async () => (await import('./serve/serve.ts')).serve,
      },
      {
        name: 'start',
        summary: `Serve in the background, until ${csp} stop`,
        load: async () => (await import('./start/start.ts')).start,
      },
      {
        name: 'stop',
        summary: 'Stop the csp that runs, however it was started',
        load: async () => (await import('./stop/stop.ts')).stop,
      },
      {
        name: 'restart',
        summary: 'Restart csp with the current configuration, without losing a search',
        load: async () => (await import('./restart/restart.ts')).restart,
      },
      {
        name: 'status',
        summary: 'Show the health of a running csp, what was spent, or the model names',
        load: async () => (await import('./status/status.ts')).status,
      },
      {
        name: 'logs',
        summary: 'Show the log of the csp in the background',
        load: async () => (await import('./logs/logs.ts')).logs,
      },
      {
        name: 'connect',
        summary: 'Search for a csp on the edge, without an open port on this machine',
        isServer: true,
        load: async () => (await import('./connect/connect.ts')).connect,
      },
    ],
  ],
  [
    'Setup',
    [
      {
        name: 'init',
        summary: 'Set up csp: the CLI and its login, your clients, a service, a first search',
        load: async () => (await import('./init/init.ts')).init,
      },
      {
        name: 'login',
        summary: 'Sign in to the Claude Code CLI that csp uses',
        load: async () => (await import('./login/login.ts')).login,
      },
      {
        name: 'demo',
        summary: 'Run every kind of search once on the sandbox, without an account',
        load: async () => (await import('./demo/demo.ts')).demo,
      },
      {
        name: 'doctor',
        summary: 'Check csp, the CLI, its login, other backends, model servers, port, cache and settings',
        load: async () => (await import('./doctor/doctor.ts')).doctor,
      },
      {
        name: 'setup',
        summary: 'Make another program search with csp, or put csp on the edge',
        load: async () => (await import('./setup/setup.ts')).setup,
      },
      {
        name: 'config',
        summary: 'Show every setting and where it comes from, or change the file',
        load: async () => (await import('./config/config.ts')).config,
      },
      {
        name: 'keys',
        summary: 'Create, list and revoke the keys that clients send',
        load: async () => (await import('./keys/keys.ts')).keys,
      },
      {
        name: 'run',
        summary: 'Run Claude Code or another Anthropic client on the gateway',
        load: async () => (await import('./run/run.ts')).run,
      },
    ],
  ],
  [
    'Maintenance',
    [
      {
        name: 'memory',
        summary: 'Show, forget or export what csp keeps: pages, answers, limits of models',
        load: async () => (await import('./memory/memory.ts')).memory,
      },
      {
        name: 'completions',
        summary: 'Print the completions of commands, flags and values for a shell',
        load: async () => (await import('./completions/completions.ts')).createCompletions(commandRows),
      },
      {
        name: 'uninstall',
        summary: 'Remove the files and settings of csp from this machine',
        load: async () => (await import('./uninstall/uninstall.ts')).uninstall,
      },
    ],
  ],
]

export const commandRows: readonly CommandRow[] = commandGroups.flatMap(([, rows]) => rows)

/** Shorter ways to say something that people do often. */
export const shortForms: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  open: ['status', '--open'],
}

/** Commands of earlier versions, and what does their work now. */
export const formerCommands: Readonly<Record<string, string>> = {
  cache: `${csp} memory`,
  models: `${csp} status --models`,
  recall: `${csp} search --memory`,
  service: `${csp} start --at-login, ${csp} stop --at-login, ${csp} status and ${csp} restart`,
  usage: `${csp} status --days 7`,
  version: `${csp} --version and ${csp} doctor`,
}
