import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Role } from '@lis/contract/access/roles.ts'
import type { Page } from '@playwright/test'
import type { Account } from '../support/accounts.ts'
import { openAs, sessionOf } from '../support/people.ts'
import { callsOf } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'
import { faultsOf } from './look.ts'
import { peek } from './peek.ts'
import { screensOf } from './screens.ts'

const people: Record<Account, Role> = {
  management: 'MGMT',
  admin: 'ADM',
  staff: 'STF',
  collaborator: 'COLA',
  client: 'CLNT',
  physician: 'PHYS',
  sales: 'SLS',
  billing: 'BILL',
}
const desk = { viewport: { width: 1440, height: 900 } }
// One of those who may do everything stands for all in other sizes and colours.
const ways = {
  desk,
  tablet: { viewport: { width: 1024, height: 768 } },
  phone: { viewport: { width: 390, height: 844 } },
  dark: { ...desk, colorScheme: 'dark' as const },
  // What a window of 1440×900 has room for at 200 %.
  zoomed: { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 },
}

const runs = [
  ...Object.keys(ways).map((way) => ['management', way] as const),
  ...Object.keys(people)
    .filter((account) => account !== 'management')
    .map((account) => [account, 'desk'] as const),
] as [Account, keyof typeof ways][]

/** As a link leads there: without a reload, which costs more than all that is looked at. */
const open = (page: Page, path: string) =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`)

for (const [account, way] of runs) {
  test.describe(`${account} ${way}`, () => {
    test.use({ ...ways[way], contextOptions: { reducedMotion: 'reduce' } })
    test('every page and tab', async ({ page, faults }) => {
      const folder = join(import.meta.dirname, '../../test-results/screens', `${account}-${way}`)
      mkdirSync(folder, { recursive: true })
      // Half-filled forms ask before they are left.
      page.on('dialog', (dialog) => dialog.accept())
      faults.expect(/404/)
      const session = await sessionOf(page.request, account)
      const opensDialogs = process.env.SWEEP_DIALOGS !== undefined
      const isSuper = ['admin', 'management', 'staff'].includes(account)
      const hasBoth = account === 'management' && ['desk', 'phone'].includes(way)
      const stages = [
        ...(isSuper ? ['Processing' as const] : []),
        ...(hasBoth || !isSuper ? ['Delivered' as const] : []),
      ]
      const screens = await screensOf(people[account], callsOf(page.request, session), stages)
      await openAs(page, session, '/')
      const found: Record<string, string[]> = {}
      const pressed = new Set<string>()
      let looks = 0
      const failed: string[] = []
      page.on('response', (reply) => {
        if (reply.status() >= 500) failed.push(`answered ${reply.status()}: ${reply.url()}`)
      })
      const report = async (name: string, path: string, seen: string[]) => {
        looks++
        const wrong = [...seen, ...failed.splice(0)]
        if (wrong.length > 0) found[`${name} ${path}`] = wrong
        writeFileSync(join(folder, 'faults.json'), JSON.stringify(found, null, 2))
        await page.screenshot({ path: join(folder, `${name}.png`) })
      }
      for (const { name, path } of screens) {
        if (process.env.SWEEP_ONLY && !new RegExp(process.env.SWEEP_ONLY).test(name)) continue
        await open(page, path)
        // Pointing at something shows its tooltip, which is not what is looked at.
        await page.mouse.move(0, 0)
        await report(name, path, await faultsOf(page))
        if (opensDialogs) {
          const reopen = async () => {
            await open(page, '/no-such-page')
            await open(page, path)
          }
          await peek(page, reopen, pressed, (what, wrong) => report(`${name}${what}`, path, wrong))
        }
      }
      console.log(`${account} ${way}: ${screens.length} screens, ${looks} looks`)
      expect(found).toEqual({})
    })
  })
}
