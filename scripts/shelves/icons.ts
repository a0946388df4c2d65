// The icon that stores show, drawn from the same file as the page's.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'

const source = readFileSync(join(import.meta.dir, '../../src/web-ui/browser/icon.svg'))

/** As PNG, with transparent corners. */
export async function iconOf(pixels: number): Promise<Uint8Array> {
  const drawn = sharp(source, { density: (72 * pixels) / 512 }).resize(pixels, pixels)
  return new Uint8Array(await drawn.png({ palette: true, compressionLevel: 9 }).toBuffer())
}

/** The name of the icon among the files of a release, for stores that take an address. */
export const iconFile = 'csp-icon.png'

/** Where it lies beside the files of a shelf, in pixels. Home Assistant shows a small one. */
const places = { 'claude-desktop/icon.png': 512, 'casaos/Apps/csp/icon.png': 512, 'home-assistant/csp/icon.png': 128 }

/** The icons of all shelves, by their paths below one folder. */
export async function iconFiles(): Promise<Readonly<Record<string, Uint8Array>>> {
  const files = Object.entries(places).map(async ([path, pixels]) => [path, await iconOf(pixels)] as const)
  return Object.fromEntries(await Promise.all(files))
}
