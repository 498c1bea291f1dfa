import type { Page } from '@playwright/test'
import { openAs, sessionOf } from '../support/people.ts'
import { type Calls, callsOf, newRequisition } from '../support/requisition.ts'
import { deskAndPhone, expect, test } from '../support/test.ts'

const opened = async (page: Page, person: string, path: string) => {
  const session = await sessionOf(page.request, person)
  await openAs(page, session, path)
  return callsOf(page.request, session)
}

/** The last box of the last freezer: no other journey stores anything there. */
const quietBox = async (api: Calls, labId: number) => {
  let path = `labs/${labId}`
  const codes: string[] = []
  for (const level of ['dd_freezer', 'dd_shelf', 'dd_rack', 'dd_box']) {
    const options: { code: string }[] = await api.get(`${path}/${level}`)
    const { code } = options.at(-1) as { code: string }
    codes.push(code)
    path = `${path}/${level}/${code}`
  }
  return { path, codes }
}

/** Opens the page of the laboratory and chooses the box. */
const chooseBox = async (page: Page) => {
  for (const level of ['Freezer', 'Shelf', 'Rack', 'Box']) {
    const group = page.locator('fieldset').filter({ has: page.locator('legend', { hasText: level }) })
    await expect(group).toHaveAttribute('aria-busy', 'false')
    await group.getByRole('radio').last().check()
  }
}

test('DAY-21 a box is compared with what was scanned, put right after a question, and undone', async ({
  page,
  look,
  expectAccessible,
}) => {
  const api = await opened(page, 'staff', '/freezer-specs')
  const [here, gone, nowhere] = [await newRequisition(api), await newRequisition(api), await newRequisition(api)]
  const { labId, labName } = await api.get(`requisitions/${here}`)
  const { path } = await quietBox(api, labId)
  type Slot = { trackerId: number; reqId: number | null }
  const stored = async () => ((await api.get(`${path}/slots`)).slots as Slot[]).filter(({ reqId }) => reqId !== null)
  const { slots } = (await api.get(`${path}/slots`)) as { slots: Slot[] }
  const free = slots.filter(({ reqId }) => reqId === null)
  const { ids } = await api.post(`${path}/slots`, {
    specLocTypeCode: 'SERUM',
    sampleSizeCode: 'CRYO10',
    samples: [here, gone].map((reqId, index) => ({ reqId, trackerId: free[index]?.trackerId })),
  })
  const others = slots.filter(({ reqId }) => reqId !== null).map(({ reqId }) => String(reqId))
  const before = await stored()

  await page.getByRole('link', { name: 'Reconcile Box' }).click()
  await expect(page.getByRole('heading', { name: 'Reconcile Box' })).toBeVisible()
  const lab = page.getByRole('combobox', { name: 'Lab' })
  if (await lab.isVisible()) {
    await lab.click()
    await page.getByRole('option', { name: labName }).click()
  }
  await chooseBox(page)
  await expect(page.getByRole('button', { name: new RegExp(`taken by #${gone}`) })).toBeVisible()
  const codes = page.getByRole('textbox', { name: 'Sample numbers' })
  await test.step('a text that is no code is named', async () => {
    await codes.fill('ABCD')
    await codes.press('Enter')
    await expect(page.getByText('ABCD is not the code of a sample or requisition')).toBeVisible()
  })
  for (const code of [...others, `S-${ids[0]}`, String(nowhere)]) {
    await codes.fill(code)
    await codes.press('Enter')
  }
  await expect(page.getByRole('list', { name: 'Scanned codes' }).getByRole('listitem')).toHaveCount(others.length + 2)
  await look(page, 'reconcile-scanned', deskAndPhone)
  await page.getByRole('button', { name: 'Compare' }).click()
  await expect(page.getByRole('region', { name: 'Missing' })).toContainText(`S-${ids[1]} of #${gone}`)
  await expect(page.getByRole('region', { name: 'Extra' })).toContainText(`${nowhere} of #${nowhere}: recorded nowhere`)
  await expect(page.getByRole('region', { name: 'Misplaced' })).toContainText('Misplaced (0)')
  await expect(page.getByRole('region', { name: 'Matched' })).toContainText(`Matched (${others.length + 1})`)
  await expectAccessible(page)
  await look(page, 'reconcile-compared', deskAndPhone)
  expect(await stored()).toEqual(before)
  await page.getByRole('button', { name: 'Put right' }).click()
  const question = page.getByRole('dialog')
  await expect(question).toContainText('1 sample that was not scanned: recorded as discarded.')
  await expect(question).toContainText('1 sample recorded nowhere: placed in this box.')
  await question.getByRole('button', { name: 'Put right' }).click()
  await expect(page.getByText('Nothing scanned yet')).toBeVisible()
  const reqIds = async () => (await stored()).map(({ reqId }) => reqId)
  expect(await reqIds()).toEqual(expect.arrayContaining([here, nowhere]))
  expect(await reqIds()).not.toContain(gone)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(async () => expect(await stored()).toEqual(before)).toPass()
})

test('DAY-21 a box is moved to another shelf, and the move undone', async ({ page }) => {
  const api = await opened(page, 'staff', '/freezer-specs/reconcile')
  await expect(page.getByRole('button', { name: 'Move' })).toBeEnabled()
  await chooseBox(page)
  await page.getByRole('button', { name: 'Move' }).click()
  const dialog = page.getByRole('dialog', { name: 'Move' })
  await dialog.getByRole('textbox', { name: 'Shelf' }).fill('99')
  await dialog.getByRole('button', { name: 'Move' }).click()
  await expect(dialog).toBeHidden()
  const undo = (await api.get('undo_actions')) as { description: string; canUndo: boolean }[]
  expect(undo[0]).toMatchObject({ description: 'Move 1 box', canUndo: true })
  await expect(page.getByRole('radio', { name: /^(Shelf )?99,/ })).toBeAttached()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('radio', { name: /^(Shelf )?99,/ })).toHaveCount(0)
})

test('DAY-22 samples past the retention rule of their type are listed and discarded with a reason', async ({
  page,
  look,
  expectAccessible,
}) => {
  const api = await opened(page, 'management', '/labs')
  const labs: { id: number; isDefault: number }[] = await api.get('labs')
  const labId = (labs.find(({ isDefault }) => isDefault === 1) ?? labs[0])?.id
  await page.goto(`/labs/${labId}/show`)
  const card = page.getByRole('region', { name: 'Retention of samples' })
  await card.getByRole('button', { name: 'Set rule' }).click()
  const rule = page.getByRole('dialog', { name: 'Retention rule' })
  await rule.getByRole('combobox', { name: /Specimen Type/ }).click()
  await page.getByRole('option', { name: 'Serum aliquot' }).click()
  await rule.getByRole('textbox', { name: 'Days' }).fill('1')
  await rule.getByRole('button', { name: 'Save' }).click()
  await expect(card).toContainText('1 day')
  await page.goto('/freezer-specs/discard')
  const rows = page.getByRole('table', { name: 'Discard List' }).locator('tbody tr.row')
  await expect(rows.first()).toBeVisible()
  const due = ((await api.get(`labs/${labId}/discard_list`)) as { id: number }[]).map(({ id }) => id)
  await look(page, 'discard-list', deskAndPhone)
  await rows.first().getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Discard 1 selected' }).click()
  const dialog = page.getByRole('dialog', { name: 'Discard 1 sample?' })
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await expect(dialog.getByText('Reason is required')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Kept long enough')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await expect(dialog).toBeHidden()
  expect(((await api.get(`labs/${labId}/discard_list`)) as { id: number }[]).map(({ id }) => id)).toEqual(due.slice(1))
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(async () =>
    expect(((await api.get(`labs/${labId}/discard_list`)) as { id: number }[]).map(({ id }) => id)).toEqual(due),
  ).toPass()
  await page.goto(`/labs/${labId}/show`)
  await card.getByRole('button', { name: 'Remove rule for Serum aliquot' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(card).toContainText('No rule')
})
