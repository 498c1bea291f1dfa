import { demoPassword } from '../support/accounts.ts'
import { expectCode } from '../support/outbox.ts'
import { openAs, sessionOf } from '../support/people.ts'
import { callsOf } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

interface Waiting {
  reportId: number
  reqId: number
  isAbnormal: 0 | 1
  isCorrected: 0 | 1
  isMadeHere: 0 | 1
}

test('SOUT-02 SOUT-03 SOUT-04 SOUT-14 a director reads the page, signs it with password and code, and it is released', async ({
  page,
  look,
}) => {
  const session = await sessionOf(page.request, 'management')
  const api = callsOf(page.request, session)
  const waiting: Waiting[] = await api.get('sign_out?perPage=100')
  const report = waiting.find(
    ({ isAbnormal, isCorrected, isMadeHere }) => isAbnormal === 1 && isCorrected === 0 && isMadeHere === 1,
  ) as Waiting
  await openAs(page, session, `/sign-out?report=${report.reportId}`)
  await expect(page.getByRole('img', { name: /^Report of #/ }).locator('canvas')).toBeVisible()
  await expect(page.getByText(/\d+ passed/)).toBeVisible()
  await look(page, 'sign-out')
  await page.getByRole('button', { name: 'Sign…' }).click()
  const dialog = page.getByRole('dialog')
  // Where the report goes, beside the page that stays lit.
  await expect(dialog.getByRole('list', { name: 'Receivers' }).getByRole('listitem').first()).toBeVisible()
  await expect(dialog.getByText(/^Next: \d+ of \d+$/)).toBeVisible()
  await look(page, 'sign-dialog')
  await dialog.getByRole('textbox', { name: 'Password' }).fill(demoPassword)
  for (const box of await dialog.getByRole('checkbox').all()) await box.check()
  const code = await expectCode(page.request)
  await dialog.getByRole('button', { name: 'Send code' }).click()
  await dialog.getByRole('textbox', { name: 'Authentication code' }).fill(await code())
  await dialog.getByRole('button', { name: 'Sign and release' }).click()
  await expect(page.getByText('Signed and released')).toBeVisible()
  const signatures = await api.get(`reports/${report.reportId}/signatures`)
  expect(signatures).toMatchObject([
    { meaningCode: 'APPROVE', signatureState: 'VALID', signerName: expect.stringContaining('Marcus') },
  ])
  const [released] = await api.get(`requisitions/${report.reqId}/reports`)
  expect(released.labQcStatusCode).toBe('RELEASE')
  await expect(page.getByText(new RegExp(`^Signed: #${report.reqId} `))).toBeVisible()
  await page.getByRole('button', { name: 'Undo release' }).click()
  await expect(page.getByText('Release stopped: on hold')).toBeVisible()
  const [held] = await api.get(`requisitions/${report.reqId}/reports`)
  expect(held.labQcStatusCode).toBe('HOLD')
  await api.put(`requisitions/${report.reqId}/reports/${report.reportId}`, { labQcStatusCode: 'RELEASE' })

  await page.goto(`/requisitions/${report.reqId}/show/reportsDelivery`)
  const signed = page.getByRole('table', { name: `Signatures of ${released.reportOriginalFileName}` })
  await expect(signed.getByRole('row').filter({ hasText: 'Marcus' })).toContainText('Reviewed and approved')
  await expect(signed.getByText('Valid', { exact: true })).toBeVisible()
  await look(page, 'report-signatures')

  await page.route(/\/sign_out\?/, (route) => route.fulfill({ json: { data: [], total: 0, message: '' } }))
  await page.goto('/sign-out')
  await expect(page.getByText('Nothing to sign')).toBeVisible()
  await expect(page.getByText(/^\d+ reports? (was|were) signed today, .*by you\./)).toBeVisible()
  await look(page, 'sign-out-empty')
})
