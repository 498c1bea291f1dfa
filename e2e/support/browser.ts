import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import chromium, { inflate } from '@sparticuz/chromium'

export interface Browser {
  executablePath?: string
  channel?: 'chrome'
  env: Record<string, string>
}

const plainEnv = () =>
  Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined))

/**
 * The Chromium that comes inside a package, so that nothing need be installed on Linux x64; elsewhere CHROMIUM_PATH, or the Chrome of
 * the machine. Its arguments are not used: they switch off the web's security, which is part of what is tested.
 */
export const findBrowser = async (): Promise<Browser> => {
  const env = plainEnv()
  if (process.env.CHROMIUM_PATH) return { executablePath: process.env.CHROMIUM_PATH, env }
  if (process.platform !== 'linux' || process.arch !== 'x64') return { channel: 'chrome', env }
  const executablePath = await chromium.executablePath()
  return { executablePath, env: { ...env, FONTCONFIG_FILE: await packagedFonts(dirname(executablePath)) } }
}

/** The package brings Open Sans, the face of the design pictures; this lets Chromium find it, and nothing else. */
const packagedFonts = async (folder: string): Promise<string> => {
  const fonts = join(folder, 'fonts')
  if (!existsSync(fonts))
    await inflate(join(dirname(import.meta.dirname), '../node_modules/@sparticuz/chromium/bin/fonts.tar.br'))
  const file = join(tmpdir(), 'lis-e2e-fonts.conf')
  writeFileSync(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${fonts}</dir><cachedir>${join(tmpdir(), 'lis-e2e-font-cache')}</cachedir></fontconfig>`,
  )
  return file
}

export const browserArgs = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
  '--hide-scrollbars=false',
]
