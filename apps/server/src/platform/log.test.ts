import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'

const program = `
  import { openLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)}
  const log = openLog('info')
  const timer = setInterval(() => log.info('a line'), 5)
  setTimeout(() => { clearInterval(timer); console.log('still there') }, 300)
`

describe('the log', () => {
  it.skipIf(!existsSync('/dev/full'))(
    'neither ends the process nor holds up its end when its disk is full',
    async () => {
      const full = openSync('/dev/full', 'w')
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', full],
        timeout: 20_000,
        killSignal: 'SIGKILL',
      })
      const [output, [code]] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, 'exit')])
      closeSync(full)
      expect([output.trim(), code]).toEqual(['still there', 0])
    },
  )
})
