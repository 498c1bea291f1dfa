import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import chromium, { inflate } from '@sparticuz/chromium'

export interface Browser {
  executablePath?: string
  channel?: 'chrome'
  env: Record<string, string>
}

const plainEnv = () =>
  Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined))

/**
 * The Chromium that comes inside a package, so that nothing need be installed on Linux x64. The package has none for ARM: there it is the
 * Chromium of the machine, and where it has none, Debian's package. CHROMIUM_PATH names another. The arguments of the package are not
 * used: they switch off the web's security, which is part of what is tested.
 */
export const findBrowser = async (): Promise<Browser> => {
  const env = plainEnv()
  if (process.env.CHROMIUM_PATH) return { executablePath: process.env.CHROMIUM_PATH, env }
  if (process.platform !== 'linux') return { channel: 'chrome', env }
  const executablePath =
    process.arch === 'x64' ? await chromium.executablePath() : (installedChromium() ?? installChromium())
  return { executablePath, env: { ...env, FONTCONFIG_FILE: await packagedFonts() } }
}

const installedChromium = () => {
  const folders = (process.env.PATH ?? '').split(delimiter)
  // Without a window it needs half the processor time.
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync)
}

const installChromium = (): string => {
  console.log('Installing Chromium (apt-get install chromium-headless-shell) …')
  const run = (...args: string[]) =>
    spawnSync('apt-get', ['-qq', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      encoding: 'utf8',
    })
  const update = run('update')
  const install = run('install', '--yes', '--no-install-recommends', 'chromium-headless-shell')
  const path = installedChromium()
  if (path) return path
  const why = [update.error?.message, update.stderr, install.stderr].filter(Boolean).join('\n')
  throw new Error(
    `There is no Chromium for the browser journeys. Install one, or name it in CHROMIUM_PATH.\napt-get said:\n${why}`,
  )
}

/** The package brings Open Sans, the face of the design pictures; this lets Chromium find it, and nothing else. */
const packagedFonts = async (): Promise<string> => {
  const fonts = join(tmpdir(), 'fonts')
  if (!existsSync(fonts))
    await inflate(join(import.meta.dirname, '../../node_modules/@sparticuz/chromium/bin/fonts.tar.br'))
  const file = join(tmpdir(), 'lis-e2e-fonts.conf')
  writeFileSync(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${fonts}</dir><cachedir>${join(tmpdir(), 'lis-e2e-font-cache')}</cachedir></fontconfig>`,
  )
  return file
}

/** The name and version of the browser that the journeys are walked in. */
export const browserVersion = async (): Promise<string> => {
  const { executablePath, env } = await findBrowser()
  if (!executablePath) return 'Chrome'
  return spawnSync(executablePath, ['--no-sandbox', '--version'], { env, encoding: 'utf8' }).stdout.trim()
}

export const browserArgs = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
  // Drawing by the processor itself is much cheaper than by an imitated graphics card.
  '--disable-gpu',
  '--hide-scrollbars=false',
]
