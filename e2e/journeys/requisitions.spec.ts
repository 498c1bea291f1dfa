import { expect, test } from '../support/test.ts'

const headers = {
  All: [
    'Req ID',
    'Patient Name',
    'Patient DOB',
    'Current Requisition Status',
    'Physician',
    'Client',
    'Date Collected',
    'Sale Rep.',
    'Test Codes',
    'Bill to type',
    'Flag',
    'Issues',
  ],
  Logged: [
    'Req ID',
    'Patient Name',
    'Patient DOB',
    'Date Collected',
    'Date Received',
    'Date Logged',
    'Test Codes',
    'Issues',
  ],
  Accessioned: [
    'Req ID',
    'Patient Name',
    'Patient DOB',
    'Collaborator',
    'Client',
    'Ordering Physician',
    'Sex',
    'Age',
    'Test Ordered',
    'Date/Time Collect.',
    'Date/Time Received.',
    'Pass Codes',
    'Flag',
  ],
  Processing: [
    'Req ID',
    'Patient Name',
    'Patient DOB',
    'Status',
    'Sex',
    'Date Collected',
    'Date Received',
    'Date Logged',
    'Test Codes',
    'Issues',
  ],
  Resulted: [
    'Req ID',
    'Patient Name',
    'Patient DOB',
    'Partial Report',
    'Partial Released',
    'Date of Collection',
    'Test Codes',
    'TAT',
  ],
  Reported: [
    'Req ID',
    'Patient Name',
    'Patient DOB',
    'Partial Report',
    'Partial Released',
    'Date of Collection',
    'Test Codes',
    'TAT',
    'Demographic QC',
    'Flag',
  ],
  Released: [
    'Req ID',
    'Patient Name',
    'Patient DOB',
    'Client',
    'Physician',
    'Status',
    'Partial Report',
    'Partial Released',
    'Delivery Method',
  ],
  Delivered: [
    'Req ID',
    'Patient Name',
    'Patient DOB',
    'Client',
    'Physician',
    'Status',
    'Partial Report',
    'Partial Released',
    'Delivery Method',
    'Latest Delivery Method',
    'Latest Delivery Date',
    'Latest Delivered By',
    'Bill To',
  ],
  Billing: ['Req ID', 'Patient Name', 'Patient DOB', 'Bill To', 'Insurance Name', 'Sales Rep'],
}

test('LIST-010 LIST-018..LIST-026 LIST-030 LIST-060..LIST-071 LIST-073..LIST-123 LIST-138 each tab has exactly its columns', async ({
  page,
  signIn,
}) => {
  await signIn(page, 'staff')
  await page.goto('/requisitions')
  await expect(page.getByRole('heading', { name: 'Requisitions' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Requisitions by status' })).toBeVisible()
  for (const [tab, expected] of Object.entries(headers)) {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: tab, exact: true }).click()
    await expect(page).toHaveURL(new RegExp(`status=${tab}`))
    const table = page.getByRole('table').first()
    await expect(table.getByRole('link').first()).toBeVisible()
    const names = () =>
      table
        .getByRole('columnheader')
        .evaluateAll((cells) =>
          cells.map((cell) => (cell.textContent ?? '').trim().replace(/\s+/g, ' ')).filter(Boolean),
        )
    // The table of the tab before stays until the next one has been drawn.
    await expect.poll(names).toEqual(expected)
  }
})

test('LIST-013 LIST-014 an absent or unknown status shows All', async ({ page, signIn }) => {
  await signIn(page, 'staff')
  for (const address of ['/requisitions', '/requisitions?status=Nonsense']) {
    await page.goto(address)
    await expect(
      page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'All', exact: true }),
    ).toHaveAttribute('aria-current', 'page')
  }
})

test('LIST-015 LIST-016 LIST-031 LIST-049 LIST-050 LIST-055 LIST-136 a practice and a physician see their own list, without links or export', async ({
  page,
  signIn,
}) => {
  for (const [account, column] of [
    ['client', 'Physician'],
    ['physician', 'Client'],
  ] as const) {
    await signIn(page, account)
    await page.goto('/requisitions')
    const table = page.getByRole('table').first()
    await expect(table.getByRole('columnheader', { name: 'Report' })).toBeVisible()
    await expect(table.getByRole('columnheader', { name: column })).toBeVisible()
    await expect(table.getByText('Result Pending').or(table.getByText('Released')).first()).toBeVisible()
    await expect(table.getByRole('link')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Export All' })).toHaveCount(0)
    await expect(page.getByRole('navigation', { name: 'Requisitions by status' })).toHaveCount(0)
    await page.getByRole('button', { name: 'Log-out' }).click()
  }
})

test('LIST-011 LIST-052 billing users see Billed Requisitions', async ({ page, signIn }) => {
  await signIn(page, 'billing')
  await page.goto('/requisitions')
  await expect(page.getByRole('heading', { name: 'Billed Requisitions' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Export All' })).toHaveCount(0)
})

test('LIST-042 LIST-191 the next status is checked first, and moves what can be moved', async ({
  page,
  signIn,
  expectAccessible,
}) => {
  await signIn(page, 'staff')
  await page.goto('/requisitions?status=Accessioned')
  const table = page.getByRole('table').first()
  await expect(table.getByRole('link').first()).toBeVisible()
  const id = await table.getByRole('link').first().innerText()
  await table.getByRole('row').nth(1).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Next status: Processing' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('1 will move, 0 will not')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Move 1 requisition' }).click()
  await expect(page.getByText('1 requisition(s) moved to Processing')).toBeVisible()
  await expect(table.getByRole('link', { name: id, exact: true })).toHaveCount(0)
  await page.goto(
    `/requisitions?status=Processing&smartFilter=${encodeURIComponent(JSON.stringify([{ id: 'reqId', value: id, viewValue: id }]))}`,
  )
  await expect(page.getByRole('link', { name: id, exact: true })).toBeVisible()
})

test('LIST-107 LIST-141 LIST-147 demographic QC saves by itself and stays', async ({ page, signIn }) => {
  await signIn(page, 'staff')
  await page.goto('/requisitions?status=Reported')
  const cell = page.getByRole('switch', { name: /^Demographic QC of #/ }).first()
  const wasOn = await cell.isChecked()
  const saved = page.waitForResponse((reply) => reply.url().includes('/dem_qc') && reply.status() === 200)
  await cell.click()
  await saved
  await page.reload()
  await expect(page.getByRole('switch', { name: /^Demographic QC of #/ }).first()).toBeChecked({ checked: !wasOn })
})

test('VIEW-G7 search finds a requisition by number and by name, and the address keeps it', async ({ page, signIn }) => {
  await signIn(page, 'staff')
  await page.goto('/requisitions')
  await expect(page.getByRole('searchbox', { name: 'Search Requisition' })).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('1000123')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('link', { name: '1000123', exact: true })).toBeVisible()
  await expect(page).toHaveURL(/smartFilter=/)
  await page.reload()
  await expect(page.getByRole('link', { name: '1000123', exact: true })).toBeVisible()
})

test('the list is accessible in light, dark and on a phone', async ({ page, signIn, expectAccessible }) => {
  await signIn(page, 'staff')
  await page.goto('/requisitions')
  await expect(page.getByRole('table').first().getByRole('link').first()).toBeVisible()
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(page.getByText('1000001').first()).toBeVisible()
  await expectAccessible(page)
})
