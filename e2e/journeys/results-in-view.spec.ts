import { openAs, sessionOf } from '../support/people.ts'
import { api, claim, failByCall, orderedOf } from '../support/results.ts'
import { expect, test } from '../support/test.ts'
import { expectWhole } from '../support/whole.ts'

test('LIST-228 no result is cut off at any width, and under a row of the list failed and not calculated tests are listed among the resulted ones with units, ranges and flags', async ({
  page,
  request,
  look,
}) => {
  test.slow()
  const session = await sessionOf(request, 'staff')
  const id = await claim(request, session, ['CHOL', 'HDL', 'TRIG', 'LDL', 'PULSS', 'PULS', 'DP', 'DPI', 'COVAG'])
  await failByCall(request, session, id, 'TRIG', '901')
  const ordered = await orderedOf(request, session, id)
  const entries = { CHOL: '250', HDL: '45', PULSS: '9', DP: '6.6', COVAG: 'NEG' }
  const idOf = (code: string) => ordered.find(({ testCode }) => testCode === code)?.id
  const { message } = await api(request, session, 'PUT', `requisitions/${id}/req_tests/bulk_edit`, {
    reqTests: Object.entries(entries)
      .filter(([code]) => idOf(code) !== undefined)
      .map(([code, result]) => ({ reqTestId: idOf(code), result, isConfirmed: 1 })),
  })
  expect(message).toBe('Successfully saved')

  await openAs(page, session, `/requisitions/${id}/show/tests`)
  const grid = page.getByRole('table', { name: 'Tests', exact: true })
  await expect(grid.getByRole('textbox', { name: 'DPI result' })).toHaveValue('Moderate likelihood')
  await expectWhole(page, grid)
  const calculated = grid.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'LDL', exact: true }) })
  await expect(calculated).toContainText('Not calculated')
  await expect(calculated).not.toContainText('No result')

  await page.goto('/requisitions?status=Resulted&sort=[reqID,DESC]')
  await page.getByRole('button', { name: new RegExp(`^Expand #${id} `) }).click()
  const under = page.getByRole('table', { name: 'Resulted tests', exact: true })
  const row = (code: string) => under.getByRole('row').filter({ has: page.getByText(code, { exact: true }) })
  await expect(row('CHOL')).toContainText(/250\s*mg\/dL\s*Unfavorable\s*≤ 199\s*200–239\s*≥ 240/)
  await expect(row('TRIG')).toContainText(/Failed\s*mg\/dL.*901 Quantity not sufficient/)
  await expect(row('LDL')).toContainText('Not calculated')
  await expect(row('DPI')).toContainText('Moderate likelihood')
  await look(page, 'resulted-tests')
  await expectWhole(page, under)
})
