import type { APIRequestContext, Page } from '@playwright/test'
import { expectWithin } from '../../apps/server/test/quiet-machine.ts'
import { bearer, newPerson, openAs, sessionOf } from '../support/people.ts'
import { callsOf, card, clientWithZone, newRequisition, unique } from '../support/requisition.ts'
import { deskAndPhone, expect, test } from '../support/test.ts'

test('HOME-01 staff see what waits for them and open the queue', async ({ page, signIn, look }) => {
  await signIn(page, 'staff')
  const needs = page.getByRole('region', { name: 'What needs me now' })
  const receive = needs.getByRole('link', { name: /^To receive, \d+ waiting$/ })
  await expect(receive).toBeVisible()
  await expect(page.getByRole('img', { name: 'LIS logo' }).first()).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Welcome to Lab Information System (LIS)' })).toBeVisible()
  await expect(page.getByText('Stella Núñez')).toBeVisible()
  for (const name of ['Turnaround today', 'Flow by status', 'Received by hour', 'My recent requisitions'])
    await expect(page.getByRole('region', { name })).toBeVisible()
  await look(page, 'home-staff', deskAndPhone)
  await receive.click()
  await expect(page).toHaveURL(/\/requisitions\?status=Logged/)
  await expect(page.getByRole('heading', { name: 'Requisitions' })).toBeVisible()
})

test('HOME-02 the menu begins with the work of the day and its numbers, for each role its own', async ({
  page,
  request,
}) => {
  const menu = page.getByRole('navigation', { name: 'Main' })
  const itemsOf = () => menu.getByRole('list').first().getByRole('link')
  const expand = async () => {
    const button = page.getByRole('button', { name: 'Expand sidebar' })
    await expect(menu.getByRole('link', { name: 'User Profile' })).toBeVisible()
    if (await button.isVisible()) await button.click()
  }
  const session = await sessionOf(request, 'management')
  await openAs(page, session, '/')
  await expand()
  const names = ['Home', 'Review', 'Quality Control', 'Critical Calls', 'Sign-out', 'Interfaces']
  await expect(itemsOf()).toHaveText(names.map((name) => new RegExp(`^${name}\\d*$`)))
  await expect(menu.locator('[aria-current=page]')).toHaveText('Home')
  const { queues } = await callsOf(request, session).get('home/counts')
  const review = queues.find(({ code }: Queue) => code === 'REVIEW')
  if (review.count > 0)
    await expect(menu.getByRole('link', { name: /^Review/ }).getByLabel(/^\d+ waiting/)).toHaveText(`${review.count}`)
  await openAs(page, await sessionOf(request, 'client'), '/')
  await expand()
  await expect(itemsOf()).toHaveText([/^Home$/, /^Results\d*$/, /^Order tests$/])
  await menu.getByRole('link', { name: /^Results/ }).click()
  await expect(page).toHaveURL('/?show=NEW_RESULTS')
  await expect(menu.locator('[aria-current=page]')).toHaveText(/^Results/)
  await expect(card(page, 'New results')).toBeFocused()
})

test('HOME-03 the volumes of a sales person open the orders that they count', async ({ page, request }) => {
  const session = await sessionOf(request, 'sales')
  await openAs(page, session, '/')
  const clients = card(page, 'My clients')
  const volume = clients.getByRole('link', { name: /, \d+ in the last 30 days$/ }).first()
  const count = Number((await volume.innerText()).replace(',', ''))
  await volume.click()
  await expect(page).toHaveURL(/dateLogged/)
  await expect(async () => {
    expect(await shownOn.RECEIVE?.(page)).toBe(count)
  }).toPass()
})

test('HOME-04 the page follows the work of others within two seconds', async ({ page, signIn }) => {
  await signIn(page, 'admin')
  const receive = page.getByRole('link', { name: /^To receive, \d+ waiting$/ })
  const countOf = async () => Number(/\d+/.exec((await receive.getAttribute('aria-label')) ?? '')?.[0])
  const calls = callsOf(page.request, await sessionOf(page.request, 'management'))
  await expectWithin(2000, async () => {
    const before = await countOf()
    await newRequisition(calls)
    const began = performance.now()
    await expect.poll(countOf, { intervals: [100] }).toBeGreaterThan(before)
    return performance.now() - began
  })
})

interface Queue {
  code: string
  title: string
  count: number
  call: string
}
type Session = Awaited<ReturnType<typeof sessionOf>>

const totalOf = async (request: APIRequestContext, session: Session, call: string): Promise<number> => {
  const reply = await request.get(`/api/v3.0/${call}${call.includes('?') ? '&' : '?'}page=1&perPage=1`, {
    headers: bearer(session),
  })
  return (await reply.json()).total
}

/** How many rows the page of a queue says that it has. */
const shownOn: Record<string, (page: Page) => Promise<number>> = {
  ...Object.fromEntries(
    ['RECEIVE', 'PROCESS', 'ISSUES', 'LATE_DELIVERY'].map((code) => [
      code,
      (page: Page) => lastNumberOf(page, page.locator('footer[aria-label="Pages"] .range')),
    ]),
  ),
  HELD_MESSAGE: (page) => lastNumberOf(page, page.getByRole('link', { name: /^To decide/ })),
  SIGN: async (page) => Number(/^(\d+) to sign/m.exec(await page.locator('main').innerText())?.[1] ?? 0),
}
const lastNumberOf = async (_: Page, place: ReturnType<Page['locator']>) =>
  Number((await place.innerText()).replaceAll(',', '').match(/\d+/g)?.at(-1))

test('HOME-01 HOME-02 each queue opens its rows, also for a person whose lists open with a Smart View', async ({
  page,
  request,
}) => {
  const person = await newPerson(request, 'MGMT')
  const session = await sessionOf(request, person.userName, person.password)
  const api = callsOf(request, session)
  // Both lists would open with nothing in them.
  for (const [smartScreen, field] of [
    ['requisitions/Logged', 'reqId'],
    ['requisitions/Accessioned', 'reqId'],
  ] as const) {
    const { id } = await api.post('smart_filters', {
      smartName: unique('Nothing'),
      smartScreen,
      smartValues: { [field]: { value: '1', viewValue: '1' } },
    })
    await api.put(`smart_filters/${id}/mine`, { isDefault: true })
  }
  await openAs(page, session, '/')
  const needs = card(page, 'What needs me now')
  await expect(needs.getByRole('link', { name: /^To receive, \d+ waiting$/ })).toBeVisible()
  const { queues }: { queues: Queue[] } = await api.get('home')
  const opened = queues.filter(({ code, count }) => count > 0 && shownOn[code])
  expect(opened.map(({ code }) => code)).toEqual(expect.arrayContaining(['RECEIVE', 'PROCESS']))
  for (const { code, title, call } of opened)
    await test.step(`${title} has the rows of ${call}`, async () => {
      await page.goto('/')
      await needs.getByRole('link', { name: new RegExp(`^${title}, \\d+ waiting$`) }).click()
      await expect(async () => {
        expect(await shownOn[code]?.(page)).toBe(await totalOf(request, session, call))
      }).toPass()
    })
  await test.step('so do the button Receive and the flow by status', async () => {
    for (const link of [
      page.getByRole('link', { name: 'Receive', exact: true }),
      card(page, 'Flow by status').getByRole('link', { name: 'Logged' }),
    ]) {
      await page.goto('/')
      await link.click()
      await expect(async () => {
        expect(await shownOn.RECEIVE?.(page)).toBe(await totalOf(request, session, 'requisitions/LOG'))
      }).toPass()
    }
  })
})

test('HOME-03 a practice opens the whole list of what is wanted from it, page by page, with its number', async ({
  page,
  request,
  look,
}) => {
  const staff = callsOf(request, await sessionOf(request, 'staff'))
  const { id: clientId } = await clientWithZone(staff)
  const person = await newPerson(request, 'CLNT', clientId)
  const session = await sessionOf(request, person.userName, person.password)
  for (let number = 0; number < 27; number++) {
    const reqId = await newRequisition(staff, { clientId })
    await staff.post(`requisitions/${reqId}/issues`, {
      reporterDeptId: 1,
      resolverDeptId: 2,
      issueDesc: 'Please draw again',
    })
  }
  await openAs(page, session, '/')
  const wanted = card(page, 'Wanted from you')
  const total = await totalOf(request, session, 'home/wanted')
  expect(total).toBeGreaterThan(25)
  await expect(wanted).toContainText(`${total} to look at`)
  await expect(wanted.getByRole('listitem')).toHaveCount(25)
  await wanted.getByRole('link', { name: `Show all ${total}` }).click()
  await expect(page).toHaveURL('/?show=WANTED')
  await expect(wanted).toBeFocused()
  await expect(wanted).toContainText(`1–25 of ${total}`)
  await wanted.getByRole('link', { name: 'Next page' }).click()
  await expect(wanted).toContainText(`26–${Math.min(50, total)} of ${total}`)
  await expect(wanted.getByRole('listitem')).toHaveCount(Math.min(25, total - 25))
  await look(page, 'home-wanted', deskAndPhone)
  await wanted.getByRole('link', { name: 'Show less' }).click()
  await expect(page).toHaveURL('/')
  await expect(wanted.getByRole('listitem')).toHaveCount(25)
  await page
    .getByRole('region', { name: 'What needs me now' })
    .getByRole('link', { name: `Wanted from you, ${total} waiting` })
    .click()
  await expect(wanted).toBeFocused()
})

test('HOME-03 a critical result says so in words, and where it is beside the normal range', async ({
  page,
  signIn,
  look,
}) => {
  // Which results the demo practice has is not known: one is made critical on its way to the page.
  await page.route(/\/api\/v3\.0\/home$/, async (route) => {
    const response = await route.fetch()
    const json = await response.json()
    const result = {
      reqId: 1,
      patientFirstName: 'Nora',
      patientLastName: 'Critical-Test',
      patientDob: '1961-03-04',
      clientName: 'Practice',
      releasedDate: json.data.asOf,
      isCorrected: 0,
      changes: [],
      abnormalCount: 1,
      isCritical: 1,
      isAllNormal: 0,
      tests: [
        {
          testCode: 'K',
          testDesc: 'Potassium',
          result: '6.9',
          units: 'mmol/L',
          flag: 'H',
          range: '3.5 - 5.1',
          borderline: '5.2 - 5.5',
          interpretation: null,
          isCritical: 1,
          previous: '4.4',
          trend: [4.1, 4.4, 6.9],
        },
        {
          testCode: 'NA',
          testDesc: 'Sodium',
          result: '140',
          units: 'mmol/L',
          flag: '',
          range: '',
          borderline: '',
          interpretation: null,
          isCritical: 0,
          previous: null,
          trend: [],
        },
      ],
    }
    await route.fulfill({ response, json: { ...json, data: { ...json.data, newResults: [result] } } })
  })
  await signIn(page, 'client')
  const article = card(page, 'New results').getByRole('article', { name: 'Critical-Test, Nora' })
  await expect(article.locator('header')).toContainText('Critical')
  await expect(article.getByRole('row', { name: /Potassium/ })).toContainText('Critical')
  await expect(article.getByRole('img', { name: '6.9 mmol/L, normal 3.5 - 5.1, borderline 5.2 - 5.5' })).toBeVisible()
  await expect(article).toContainText('Sodium not outside the normal range')
  await look(page, 'home-critical', deskAndPhone)
})

test('HOME-01 the keys of Home open queues and list themselves; Mine has the queues of my departments', async ({
  page,
  request,
}) => {
  const person = await newPerson(request, 'MGMT')
  await openAs(page, await sessionOf(request, person.userName, person.password), '/')
  const needs = card(page, 'What needs me now')
  const receive = needs.getByRole('link', { name: /^To receive, \d+ waiting$/ })
  await expect(receive).toBeVisible()
  await test.step('the arrows move among the queues', async () => {
    await page.keyboard.press('ArrowDown')
    await expect(needs.getByRole('link').first()).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await expect(needs.getByRole('link').nth(1)).toBeFocused()
  })
  await test.step('a question mark lists the keys', async () => {
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keys of this page' })
    await expect(keys).toContainText('G E')
    await keys.getByRole('button', { name: 'Close' }).click()
    await expect(keys).toHaveCount(0)
  })
  await test.step('Mine leaves out the queues of other departments, and is remembered', async () => {
    const all = await needs.getByRole('listitem').count()
    await needs.getByRole('button', { name: 'Mine' }).click()
    await expect(needs.getByRole('listitem').filter({ hasText: 'Late deliveries' })).toHaveCount(0)
    await expect(receive).toBeVisible()
    await page.reload()
    await expect(needs.getByRole('button', { name: 'Mine' })).toHaveAttribute('aria-pressed', 'true')
    await needs.getByRole('button', { name: 'Whole lab' }).click()
    await expect(needs.getByRole('listitem')).toHaveCount(all)
  })
  await test.step('G and a letter open a queue', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('e')
    await expect(page).toHaveURL(/\/requisitions\?status=Logged/)
  })
  await test.step('letters can be turned off in the profile', async () => {
    await page.goto('/user-profile')
    await page.getByRole('checkbox', { name: 'Single letters are keys of a page' }).uncheck()
    await page.goto('/')
    await expect(receive).toBeVisible()
    await page.keyboard.press('?')
    await page.keyboard.press('g')
    await page.keyboard.press('e')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page).toHaveURL('/')
  })
})

test('HOME-03 a practice marks a result as reviewed by key, and takes it back', async ({ page, signIn }) => {
  await signIn(page, 'client')
  const results = card(page, 'New results')
  const first = results.getByRole('article').first()
  await expect(first).toBeVisible()
  const name = (await first.getAttribute('aria-label')) as string
  const number = /#\d+/.exec(await first.locator('header').innerText())?.[0] as string
  const note = results.getByText(/^\d+ not reviewed$/)
  const before = await note.innerText()
  await page.keyboard.press('j')
  await expect(first).toBeFocused()
  await page.keyboard.press('e')
  await expect(page.getByText(`Reviewed: ${name}, ${number}`)).toBeVisible()
  await expect(note).not.toHaveText(before)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(note).toHaveText(before)
  await expect(results.getByText(number)).toBeVisible()
})

test('HOME-01 on a phone a tube is received by its number from Home', async ({ page, request, look }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const session = await sessionOf(request, 'staff')
  const reqId = await newRequisition(callsOf(request, session))
  await openAs(page, session, '/')
  await page.getByRole('button', { name: 'Scan to receive' }).click()
  const dialog = page.getByRole('dialog', { name: 'Scan to receive' })
  const entries = dialog.getByRole('log', { name: 'Received' }).getByRole('listitem')
  const receive = async () => {
    await dialog.getByRole('textbox', { name: 'Number on the label' }).fill(`${reqId}S`)
    await dialog.getByRole('button', { name: 'Receive', exact: true }).click()
  }
  await receive()
  await expect(entries).toContainText(`Received: #${reqId}`)
  await receive()
  await expect(entries.first()).toContainText(/^Already received at .* by /)
  await look(page, 'home-scan', [390])
  await entries.first().getByRole('button', { name: 'Receive another tube' }).click()
  await expect(entries).toHaveCount(3)
  await expect(entries.first()).toContainText(`Received: #${reqId}`)
})
