import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Mounts a small disk of memory; `undefined` where this user may not. */
export function mount(path: string, options: string): Disposable | undefined {
  mkdirSync(path, { recursive: true })
  const { success } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', options, 'tmpfs', path], { stderr: 'ignore' })
  if (!success) return undefined
  return { [Symbol.dispose]: () => void Bun.spawnSync(['umount', '-l', path]) }
}

/** Whether this user may mount. */
export const mayMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'csp-mount-'))
  try {
    using disk = mount(join(folder, 'disk'), 'size=64k')
    return disk !== undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})()
