import { openAs, sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

test('LIST-048 LIST-234 LIST-239 labels of ticked requisitions and of one requisition come as a PDF to print, and a failure is a printing error', async ({
  page,
  context,
  expectAccessible,
  faults,
}) => {
  faults.expect(/400|500/)
  await openAs(page, await sessionOf(page.request, 'staff'), '/requisitions?status=Logged')
  const rows = page.locator('tbody tr.row')
  await expect(rows.first()).toBeVisible()
  for (const row of [0, 1]) await rows.nth(row).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Print labels' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('2 requisitions')
  await expect(dialog.getByRole('radio', { name: 'Bar code labels' })).toBeChecked()
  await expect(dialog.getByRole('radio', { name: 'Cryo labels' })).toBeVisible()
  await expectAccessible(page)
  const [reply] = await Promise.all([
    page.waitForResponse(/labels\/print/),
    context.waitForEvent('page').catch(() => undefined),
    dialog.getByRole('button', { name: 'Print' }).click(),
  ])
  const { data } = await reply.json()
  expect(data.labelCount).toBe(12)
  const file = await page.request.get(data.url)
  expect([file.headers()['content-type'], (await file.body()).subarray(0, 5).toString()]).toEqual([
    'application/pdf',
    '%PDF-',
  ])
  await expect(dialog).toBeHidden()
  // There is no label printer: what came as a file has not been printed.
  await expect(page.getByText('Labels downloaded').first()).toBeVisible()
  await expect(page.getByText('Labels printed')).toHaveCount(0)
  await rows.first().getByRole('link').first().click()
  // The address is there before the page: until then the list has a button of the same name.
  await expect(page.getByRole('heading', { level: 1, name: /^#\d+ / })).toBeVisible()
  await page.getByRole('button', { name: 'Print labels' }).first().click()
  await expect(page.getByRole('dialog')).toContainText('#')
  // No order that is entered here says how many vials it has: the person who prints says it.
  await dialog.getByRole('radio', { name: 'Cryo labels' }).check()
  await dialog.getByRole('textbox', { name: 'Labels per requisition' }).fill('')
  await dialog.getByRole('button', { name: 'Print' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Labels per requisition must be 1 to 20')
  await dialog.getByRole('textbox', { name: 'Labels per requisition' }).fill('2')
  const [vials] = await Promise.all([
    page.waitForResponse(/labels\/print/),
    dialog.getByRole('button', { name: 'Print' }).click(),
  ])
  expect((await vials.json()).data.labelCount).toBe(2)
  await expect(dialog).toBeHidden()
  // Whatever stops it on the way, also an answer without words.
  await page.getByRole('button', { name: 'Print labels' }).first().click()
  await page.route('**/labels/print', (route) => route.fulfill({ status: 500, body: '' }))
  await dialog.getByRole('button', { name: 'Print' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Printing error')
  await expect(page.getByText('Printing error')).toHaveCount(2)
  await expect(page.getByText('Unknown Error')).toHaveCount(0)
})
