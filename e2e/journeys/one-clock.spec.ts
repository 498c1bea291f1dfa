import type { Page } from '@playwright/test'
import { openAs, sessionOf } from '../support/people.ts'
import { callsOf } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

// Far from every laboratory and client: whatever went by the clock of the browser would say GMT+9.
test.use({ timezoneId: 'Asia/Tokyo' })

/** The zones that the times on the page name, each once. As text: the code runs in the page. */
const zonesOn = (page: Page): Promise<string[]> =>
  page.evaluate(`[...new Set([...document.querySelectorAll('time')].map((time) => time.innerText.split(' ').at(-1)))]`)

const expectZones = async (page: Page, zones: string[], where: string) => {
  await expect(page.locator('time').first(), where).toBeVisible()
  await expect.poll(() => zonesOn(page), where).toEqual(zones)
}

test('TABLE-086 LIST-167 one event has one time: events are shown in the zone of the laboratory on every tab and list, a collection in that of the client, and none in that of the browser', async ({
  page,
}) => {
  test.slow()
  const session = await sessionOf(page.request, 'management')
  const { get } = callsOf(page.request, session)
  type Row = { id: number; labTzAbbr: string; collectedTzAbbr: string }
  const rows: Row[] = await get('requisitions/RELEASE?page=1&perPage=100')
  const row = rows.find(({ labTzAbbr, collectedTzAbbr }) => labTzAbbr !== collectedTzAbbr)
  if (!row) throw new Error('No requisition has a client in another zone')
  const { id, labTzAbbr: lab, collectedTzAbbr: client } = row
  await openAs(page, session, `/requisitions/${id}/show/status`)
  for (const tab of ['status', 'activity', 'reportsDelivery']) {
    await page.goto(`/requisitions/${id}/show/${tab}`)
    await expectZones(page, [lab], tab)
  }
  await page.goto(`/requisitions/${id}/show/specimens`)
  await expect(page.locator('time').first()).toBeVisible()
  await expect.poll(async () => [...(await zonesOn(page))].sort()).toEqual([client, lab].sort())
  // The same moment on two tabs.
  const received = await page.locator('time', { hasText: lab }).first().innerText()
  expect(received).toMatch(/^\d\d\/\d\d\/\d\d [0-2]\d:[0-5]\d [A-Z]{3,4}$/)

  await page.goto(`/requisitions?status=Released`)
  await page.getByRole('button', { name: new RegExp(`^Expand #${id} `) }).click()
  await expect(page.locator('.subrow time').first()).toBeVisible()
  expect(await page.locator('.subrow time').allInnerTexts()).toEqual(
    expect.arrayContaining([expect.stringMatching(new RegExp(` ${lab}$`))]),
  )
  const home = (await get('config')).labTz as string
  const homeName = new Intl.DateTimeFormat('en-US', { timeZone: home, timeZoneName: 'short' })
    .formatToParts(new Date())
    .find(({ type }) => type === 'timeZoneName')?.value
  for (const path of ['/users', '/user-profile']) {
    await page.goto(path)
    await expect(page.locator('time').first(), path).toBeVisible()
    await expect.poll(() => zonesOn(page), path).not.toContain('GMT+9')
    await expect.poll(() => zonesOn(page), path).not.toContain('UTC')
    expect(await zonesOn(page), path).toContain(homeName)
  }
  await page.goto('/interfaces')
  // Those of today are without their date.
  const messages = page.getByRole('list', { name: 'Messages' }).locator('time')
  await expect(messages.first()).toBeVisible()
  for (const text of await messages.allInnerTexts()) expect(text).toMatch(new RegExp(`[0-2]\\d:[0-5]\\d ${homeName}$`))
})
