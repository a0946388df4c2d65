import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromiumPath } from '@csp/testing/chromium-path'

export interface Chromium extends AsyncDisposable {
  /** Of its DevTools. */
  readonly address: string
  /** The pages that are open in it, each by its address. */
  tabs(): Promise<readonly string[]>
  kill(): void
}

/** Starts a browser as docs/pages.md says. By itself it finds every name in `.example` on loopback. */
export async function startChromium(): Promise<Chromium> {
  const profile = mkdtempSync(join(tmpdir(), 'csp-chromium-'))
  const args = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--remote-debugging-port=0',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    // Else each page has a second process started ahead, for the next one.
    '--disable-features=SpareRendererForSitePerProcess',
  ]
  const child = Bun.spawn(
    [
      chromiumPath ?? '',
      ...args,
      `--user-data-dir=${profile}`,
      '--host-resolver-rules=MAP *.example 127.0.0.1',
      'about:blank',
    ],
    { stdout: 'ignore', stderr: 'pipe' },
  )
  let said = ''
  let port: string | undefined
  for await (const chunk of child.stderr) {
    said += new TextDecoder().decode(chunk)
    port = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1]
    if (port) break
  }
  if (!port) throw new Error(`Chromium does not start: ${said}`)
  const address = `http://127.0.0.1:${port}`
  return {
    address,
    async tabs() {
      const list = (await (await fetch(`${address}/json/list`)).json()) as { type: string; url: string }[]
      return list.filter(({ type }) => type === 'page').map(({ url }) => url)
    },
    kill: () => child.kill('SIGKILL'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
      rmSync(profile, { recursive: true, force: true })
    },
  }
}
