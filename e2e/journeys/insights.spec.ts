import { deskAndPhone, expect, test } from '../support/test.ts'

test('HOME-06 HOME-07 all reports are shown for one period; one is opened, read as a table and saved as a picture', async ({
  page,
  signIn,
  look,
}) => {
  await signIn(page, 'management', '/reports')
  await page.getByRole('link', { name: 'Insights', exact: true }).last().click()
  await expect(page).toHaveURL('/insights')
  const card = (name: string) => page.getByRole('article', { name, exact: true })
  const turnaround = card('TAT by stage')
  await test.step('a card has its number and a chart that is described in a sentence', async () => {
    await expect(page.getByRole('article')).toHaveCount(9)
    await expect(
      turnaround.getByRole('img', { name: /^TAT by stage, in hours: \d+ bars\. The largest is / }),
    ).toBeVisible()
    await look(page, 'insights', deskAndPhone)
  })
  await test.step('the period and the filters are in the address, for all reports', async () => {
    const period = page.getByRole('group', { name: 'Period and filters' })
    await period.getByRole('button', { name: '7 d' }).click()
    await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d/)
    await period.getByRole('button', { name: '90 d' }).click()
    await expect(period.getByRole('button', { name: '90 d' })).toHaveAttribute('aria-pressed', 'true')
    await expect(turnaround.getByRole('img')).toBeVisible()
  })
  const address = new URL(page.url()).search
  const chart = page.getByRole('figure', { name: 'Chart of TAT by stage' })
  await test.step('a card opens its report, and a link shows the same', async () => {
    await turnaround.getByRole('link', { name: 'TAT by stage' }).click()
    await expect(page).toHaveURL(`/insights/qaReports/QATAT${address}`)
    await page.reload()
    await expect(page.getByRole('table', { name: 'TAT by stage' })).toContainText('Processing')
  })
  const report = page.locator('.report')
  await test.step('the chart is shown as a table with the same numbers', async () => {
    await report.getByRole('button', { name: 'Show as table' }).click()
    await expect(report.getByRole('table', { name: 'Numbers of TAT by stage' })).toContainText('Median Hours')
    const file = page.waitForEvent('download')
    await report.getByRole('button', { name: 'PNG' }).click()
    expect((await file).suggestedFilename()).toMatch(/^QATAT .*\.png$/)
    await report.getByRole('button', { name: 'Show as chart' }).click()
    await expect(chart.last().getByRole('img')).toBeVisible()
  })
  await test.step('it is saved as a picture', async () => {
    const file = page.waitForEvent('download')
    await report.getByRole('button', { name: 'PNG' }).click()
    expect((await file).suggestedFilename()).toMatch(/^QATAT .*\.png$/)
  })
  await report.getByRole('link', { name: 'All reports' }).click()
  await expect(page).toHaveURL(`/insights/qaReports${address}`)
})

test('HOME-06 every report is read without scrolling, so that the page is printed whole', async ({ page, signIn }) => {
  await page.setViewportSize({ width: 390, height: 700 })
  await signIn(page, 'management', '/insights')
  const cards = page.getByRole('article')
  await expect(cards).toHaveCount(9)
  await expect(cards.last()).not.toBeInViewport()
  for (const card of await cards.all()) {
    const answer = card.getByRole('figure').or(card.getByText(/^(None in this period|A period this long)/))
    await expect(answer.first()).toBeAttached()
  }
  expect(await page.evaluate(() => document.scrollingElement?.scrollTop)).toBe(0)
})
