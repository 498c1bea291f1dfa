import type { APIRequestContext, Page, Route } from '@playwright/test'
import { bearer, openAs, sessionOf } from '../support/people.ts'
import { expect, picture, test } from '../support/test.ts'

type Session = Awaited<ReturnType<typeof sessionOf>>
const api = async (request: APIRequestContext, session: Session, method: string, path: string, data?: object) =>
  (
    await request.fetch(`/api/v3.0/${path}`, {
      method,
      // Each call is meant, also where it says the same as one shortly before.
      headers: { ...bearer(session), 'idempotency-key': crypto.randomUUID() },
      ...(data && { data }),
    })
  ).json()

const choose = async (page: Page, label: string, option: string | RegExp) => {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).first().click()
}
/** To another address as a link leads there: without a reload, which costs more than all that is looked at. */
const go = (page: Page, path: string) =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`)

/** A delivered requisition of its own: a copy of one whose client has a price for every test. */
const deliveredCopy = async (request: APIRequestContext, staff: Session): Promise<{ id: number; due: string }> => {
  const { data } = await api(request, staff, 'GET', 'requisitions/DELIVER?perPage=100')
  for (const row of data as { id: number }[]) {
    const { data: account } = await api(request, staff, 'GET', `requisitions/${row.id}/account`)
    if (account.missingPrices.length > 0 || account.balances.length !== 1) continue
    const copied = await api(request, staff, 'POST', `requisitions/${row.id}/copy`)
    const id: number = copied.data.id
    // A test that failed there is ordered again here, and may have no price.
    const { data: own } = await api(request, staff, 'GET', `requisitions/${id}/account`)
    if (own.missingPrices.length > 0) continue
    await api(request, staff, 'PUT', `requisitions/${id}`, { reqStatusCode: 'DELIVER' })
    return { id, due: own.balances[0].charged }
  }
  throw new Error('no delivered requisition has a price for every test')
}

test('a super admin brings a requisition from Delivered to paid', async ({ page, expectAccessible }) => {
  test.slow()
  const staff = await sessionOf(page.request, 'staff')
  const { id, due } = await deliveredCopy(page.request, staff)
  const tab = (name: string) => go(page, `/requisitions/${id}/show/${name}`)
  const dialog = page.getByRole('dialog')

  // The run says what is missing, and leaves it as a billing note.
  await openAs(page, staff, `/requisitions/${id}/show/status`)
  await page.getByRole('button', { name: 'Run billing' }).click()
  await expect(page.getByText(`Requisition #${id} has no ICD code`).first()).toBeVisible()
  await expect(page.getByText('Missing billing information').first()).toBeVisible()
  await tab('billing')
  await test.step('BLG-001 BLG-005 BLG-007 BLG-045 the tab has patient, insurance, notes and documents', async () => {
    for (const name of ['Patient Information', 'Insurance Information', 'Billing Notes', 'Downloads/Uploads'])
      await expect(page.getByRole('heading', { name, exact: true })).toBeVisible()
    await expect(page.getByRole('table', { name: 'Billing Notes' })).toContainText(
      /Missing billing information: .*ICD code/,
    )
  })
  const guarantor = page.getByRole('region', { name: 'Guarantor Information' })
  await test.step('BLG-003 BLG-016 BLG-017 BLG-018 the guarantor is edited and saved, and what is missing is named', async () => {
    await guarantor.getByRole('button', { name: 'Edit' }).click()
    await expect(page.getByRole('combobox', { name: 'Relationship' })).toBeFocused()
    await choose(page, 'Relationship', 'Spouse')
    await page.getByLabel('First Name').fill('Gail')
    await guarantor.getByRole('button', { name: 'Save' }).first().click()
    await expect(guarantor.getByText('Last Name is required')).toBeVisible()
    await page.getByLabel('Last Name').fill('Guarantor')
    await page.getByRole('textbox', { name: 'Date of Birth' }).fill('02/03/1971')
    await choose(page, 'Gender', 'Female')
    await page.getByLabel('Address 1').fill('9 Oak St')
    await page.getByLabel('City').fill('Boston')
    await page.getByLabel('ZIP').fill('02101')
    await page.getByRole('combobox', { name: 'State' }).fill('Massach')
    await page.getByRole('option', { name: 'Massachusetts' }).first().click()
    await guarantor.getByRole('button', { name: 'Save' }).first().click()
    await expect(guarantor.getByText('Gail')).toBeVisible()
    await expect(guarantor.getByRole('button', { name: 'Edit' })).toBeFocused()
  })
  await test.step('BLG-047 BLG-068 a previous insurance has to be chosen', async () => {
    await page.getByRole('button', { name: 'Previous Insurances' }).click()
    await page.getByRole('button', { name: 'Use insurance' }).click()
    await expect(dialog.getByText('Please select insurance')).toBeVisible()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  })
  await page.getByRole('button', { name: 'Add ICD' }).click()
  const add = dialog.getByRole('button', { name: 'Add', exact: true })
  await test.step('BLG-085 an ICD code has to be chosen', async () => {
    await add.click()
    await expect(dialog.getByText('Select ICD is required')).toBeVisible()
  })
  const wanted = dialog.getByRole('combobox', { name: 'Select ICD' })
  await wanted.pressSequentially('E78.5')
  await expect(wanted).toHaveValue('E78.5')
  await page.getByRole('option', { name: /^E78\.5/ }).click()
  // The list stays open for a further choice, and may cover the button.
  await dialog.getByRole('heading', { name: 'Add ICD' }).click()
  await expect(page.getByRole('option')).toHaveCount(0)
  await test.step('BLG-004 a chosen code is listed in the ICD widget', async () => {
    await add.click()
    await expect(page.getByRole('table', { name: 'ICD Codes' }).getByText('E78.5', { exact: true })).toBeVisible()
  })
  await page.getByRole('button', { name: 'Add ICD' }).click()
  await dialog.getByLabel('Custom ICD').check()
  await dialog.getByLabel('ICD Description').fill('Typed here')
  await test.step('BLG-078..BLG-083 a code of our own is refused with its message', async () => {
    for (const [code, message] of [
      ['', 'ICD Code is required'],
      ['1A', 'ICD Code should not start with number'],
      ['A01-', 'No special symbols are allowed at the end of the ICD Code name'],
      ['E850', 'ICD Codes E800-E999 not available'],
      ['V70', 'ICD Codes V01-V82 not available'],
      ['M8100', 'ICD Codes M8000-M9970 not available'],
    ] as const) {
      await dialog.getByLabel('ICD Code').fill(code)
      await add.click()
      await expect(dialog.getByText(message)).toBeVisible()
    }
  })
  await dialog.getByLabel('ICD Code').fill(`q${id}`)
  await add.click()
  const question = page.getByRole('dialog', { name: 'Please check before saving' })
  await expect(question).toContainText(`Q${id} is not written like an ICD-10 code`)
  await question.getByRole('button', { name: 'Save anyway' }).click()
  await expect(page.getByRole('table', { name: 'ICD Codes' }).getByText(`Q${id}`)).toBeVisible()
  const saved = page.waitForResponse(
    (reply) => reply.url().includes('/billings/') && reply.request().method() === 'PUT',
  )
  await choose(page, 'Bill Type', 'Client')
  await saved
  await expect(page.getByRole('combobox', { name: 'Bill Type' })).toBeFocused()
  await expectAccessible(page)
  await tab('status')
  await page.getByRole('button', { name: 'Run billing' }).click()
  await expect(page.getByText('Ready to bill').first()).toBeVisible()

  // A batch of all that is ready says first what it will take and what not. It is made in error and called back; one of this one alone is sent.
  await test.step('BLG-120 a batch is made, called back, made again and sent', async () => {
    await go(page, '/requisitions?status=BillingBatch')
    await page.getByRole('button', { name: 'Create Batch' }).click()
    await expect(dialog.getByText(/^\d+ will be in the batch, \d+ will not$/)).toBeVisible()
    await expect(
      dialog.getByRole('table', { name: 'Billed to' }).getByRole('row', { name: /^Client \d+ \$/ }),
    ).toBeVisible()
    await dialog.getByText(/^\d+ will be in the batch$/).click()
    await expect(dialog.getByText(new RegExp(`^#${id} \\|`))).toBeVisible()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: /^Create batch of \d+$/ }).click()
    const made = page.getByText(/^Billing batch \d+ created with \d+ requisition\(s\)$/)
    const [, wrong = '', count = ''] = /(\d+) created with (\d+)/.exec((await made.textContent()) ?? '') ?? []
    await page.getByRole('button', { name: `Cancel batch ${wrong}` }).click()
    await dialog.getByRole('button', { name: 'Cancel batch' }).click()
    await expect(dialog.getByText('Reason is required')).toBeVisible()
    await dialog.getByLabel('Reason').fill('Made by journey')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel batch' }).click()
    await expect(
      page.getByText(`Billing batch ${wrong} cancelled, ${count} requisition(s) ready to bill again`),
    ).toBeVisible()
    await expect(page.getByRole('button', { name: `Cancel batch ${wrong}` })).toHaveCount(0)
    const batch: number = (await api(page.request, staff, 'POST', 'billing/batch', { reqIds: [id] })).data.id
    await page.reload()
    await page.getByRole('button', { name: `Send batch ${batch}` }).click()
    await expect(dialog).toContainText('not transmitted from here')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText('1 requisition(s) billed').first()).toBeVisible()
    const row = page.getByRole('row', { name: new RegExp(`\\b${batch}\\b`) }).first()
    await expect(row).toContainText('Sent')
    await expect(row.getByRole('button', { name: /^(Send|Cancel)/ })).toHaveCount(0)

    // Paid: first wrongly, then by mistake, then in full.
  })
  await tab('payments')
  const form = page.getByRole('region', { name: 'Add Payment' })
  const balance = page.getByRole('table', { name: 'Balance' })
  await expect(balance).toContainText('Charged')
  await expect(page.getByText("Amounts at today's prices")).toHaveCount(0)
  const submit = form.getByRole('button', { name: 'Add Payment' }).first()
  await test.step('BLG-095 there is a form to add a payment', () => expect(form).toBeVisible())
  await submit.click()
  for (const [id, name] of [
    ['BLG-109', 'Payment Type'],
    ['BLG-110', 'Payer Type'],
    ['BLG-111', 'Paid By'],
    ['BLG-112', 'Amount'],
    ['BLG-113', 'Note'],
    ['BLG-114', 'Payment Month'],
    ['BLG-115', 'Payment Day'],
    ['BLG-116', 'Payment Year'],
    ['BLG-117', 'Check/Confirmation Number'],
  ] as const)
    await test.step(`${id} a missing ${name} is named`, () =>
      expect(form.getByText(`${name} is required`, { exact: true })).toBeVisible())
  const fill = async (amount: string) => {
    await choose(page, 'Payment Type', 'Check')
    await choose(page, 'Payer Type', 'Patient')
    await form.getByLabel('Paid By').fill('Journey Payer')
    await form.getByLabel('Amount').fill(amount)
    await form.getByLabel('Check/Confirmation Number').fill(`J${id}`)
    await form.getByLabel('Payment Month').fill('11')
    await form.getByLabel('Payment Day').fill('5')
    await form.getByLabel('Payment Year').fill('2025')
    await form.getByLabel('Note').fill('By journey')
    await submit.click()
  }
  await fill('0.001')
  await expect(form.getByText('Amount may have at most two decimals')).toBeVisible()
  await form.getByLabel('Amount').fill('1.50')
  await submit.click()
  const payment = (amount: string) =>
    page.getByRole('table', { name: 'Payments' }).getByRole('row', { name: new RegExp(`11/5/2025.*\\$${amount}`) })
  await test.step('BLG-096 BLG-097 a payment is ticked and deleted', async () => {
    await payment('1\\.50').getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    // Behind an open dialog nothing has a role, so close it first.
    await expect(dialog).toHaveCount(0)
    await expect(payment('1\\.50')).toHaveCount(0)
    await expect(balance.getByRole('row', { name: 'Paid $0.00' })).toBeVisible()
  })
  await fill(due)
  await expect(balance.getByRole('row', { name: 'Balance $0.00' })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Payments' })).toContainText('$0.00')
  await expectAccessible(page)
})

test('BLG-121 BLG-132 BLG-138 BLG-139 LIST-011 LIST-058 LIST-059 a billing user opens a batch, its documents and reports, and downloads it', async ({
  page,
  signIn,
  expectAccessible,
}) => {
  await signIn(page, 'billing', '/requisitions')
  await expect(page.getByRole('heading', { name: 'Billed Requisitions' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Billing Date' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'View & Filters' })).toBeHidden()
  const sent = page.getByRole('table', { name: 'Billing batches' }).getByRole('row').filter({ hasText: 'Sent' }).last()
  await expect(sent).toBeVisible()
  const date = page.getByRole('textbox', { name: 'Billing Date' })
  await date.pressSequentially('10/99/2026', { delay: 60 })
  await date.press('Enter')
  await expect(page.getByText('Billing Date must be two dates: MM/DD/YYYY-MM/DD/YYYY')).toBeVisible()
  await expect(sent).toBeVisible()
  await date.fill('01/01/2020-01/31/2020')
  await expect(page).toHaveURL(/smartFilter=/)
  await expect(sent).toBeHidden()
  await date.fill('')
  for (const name of [/^Create Batch/, /^Send batch/, /^Cancel batch/])
    await expect(page.getByRole('button', { name })).toHaveCount(0)
  await page.getByRole('button', { name: 'Bulk Download' }).click()
  await expect(page.getByText('Please select at least one billing batch to download')).toBeVisible()
  await sent.getByRole('button', { name: /expand/i }).click()
  await expect(page.getByRole('heading', { name: /Requisitions of batch/ })).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'Test Codes' })).toBeVisible()

  await expect(page.getByRole('cell', { name: /^[A-Z0-9]+(, [A-Z0-9]+)+$/ }).first()).toBeVisible()

  // No page of the requisition, but its documents and reports.
  const files = page.getByRole('button', { name: /^Documents and reports of requisition/ }).first()
  const id = (await files.getAttribute('aria-label'))?.match(/\d+/)?.[0] ?? ''
  await expect(page.getByRole('link', { name: id })).toHaveCount(0)
  await files.click()
  const dialog = page.getByRole('dialog')
  const report = dialog.getByRole('table', { name: 'Released reports' }).getByRole('button', { name: /^Download/ })
  await expect(dialog).toHaveAccessibleName(new RegExp(`^#${id} \\| .+, .+ \\(\\d\\d/\\d\\d/\\d{4}\\)$`))
  await expect(dialog.getByRole('heading', { name: 'Scanned documents' })).toBeVisible()
  await expect(report.first()).toBeVisible()
  await expectAccessible(page)
  const opened = page.waitForResponse((reply) => reply.url().endsWith(`/requisitions/${id}/download`))
  await report.first().click()
  expect((await opened).status()).toBe(200)
  await dialog.getByRole('button', { name: 'Close' }).click()

  const download = page.waitForEvent('download')
  await sent.getByRole('button', { name: /^Download batch/ }).click()
  expect((await download).suggestedFilename()).toMatch(/^billing-batch-\d+\.zip$/)
  await page.goto(`/requisitions/${id}/show/billing`)
  await expect(page.getByRole('heading', { name: 'Insurance Information' })).toHaveCount(0)
})

test('the balance of what was billed elsewhere is charged, at the prices of today', async ({
  page,
  expectAccessible,
}) => {
  const staff = await sessionOf(page.request, 'staff')
  const { id, due } = await deliveredCopy(page.request, staff)
  await openAs(page, staff, `/requisitions/${id}/show/payments`)
  const sum = (name: string) => page.getByRole('table', { name: 'Balance' }).getByRole('row', { name: `${name} $` })
  const note = page.getByText("Amounts at today's prices: no batch has kept what was charged.")
  await expect(sum('To be charged')).toBeVisible()
  await expect(note).toHaveCount(0)
  await go(page, `/requisitions/${id}/show/status`)
  await choose(page, 'Billing Status', 'Billed in outside billing system')
  await expect(page.getByText('Successfully updated')).toBeVisible()
  await go(page, `/requisitions/${id}/show/payments`)
  await expect(sum('Charged')).toContainText(Number(due).toLocaleString('en-US', { minimumFractionDigits: 2 }))
  await expect(note).toBeVisible()
  await expectAccessible(page)
  await picture(page, 'balance-billed-elsewhere')
})

const fillPayment = async (page: Page, { payer, amount, number }: Record<'payer' | 'amount' | 'number', string>) => {
  const form = page.getByRole('region', { name: 'Add Payment' })
  await choose(page, 'Payment Type', 'Check')
  await choose(page, 'Payer Type', payer)
  await form.getByLabel('Paid By').fill('Journey Payer')
  await form.getByLabel('Amount').fill(amount)
  await form.getByLabel('Check/Confirmation Number').fill(number)
  await form.getByLabel('Payment Month').fill('11')
  await form.getByLabel('Payment Day').fill('5')
  await form.getByLabel('Payment Year').fill('2025')
  await form.getByLabel('Note').fill('By journey')
}

test('a payment whose answer was lost is in the list at once, and pressing again makes no second one', async ({
  page,
  faults,
}) => {
  faults.expect(/ERR_FAILED/)
  const staff = await sessionOf(page.request, 'staff')
  const { id } = await deliveredCopy(page.request, staff)
  await openAs(page, staff, `/requisitions/${id}/show/payments`)
  const form = page.getByRole('region', { name: 'Add Payment' })
  await fillPayment(page, { payer: 'Patient', amount: '2.50', number: `L${id}` })
  // Carried out, but the answer is lost: that of the first try, and that of the one that follows by itself.
  const lose = async (route: Route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    await route.fetch()
    return route.abort()
  }
  await page.route(`**/requisitions/${id}/payments`, lose)
  const submit = form.getByRole('button', { name: 'Add Payment' }).first()
  await submit.click()
  const paid = page.getByRole('table', { name: 'Payments' }).getByRole('row', { name: /11\/5\/2025.*\$2\.50/ })
  await expect(paid).toHaveCount(1)
  await expect(form.getByLabel('Amount')).toHaveValue('2.50')
  await page.unrouteAll({ behavior: 'wait' })
  await submit.click()
  await expect(form.getByLabel('Amount')).toHaveValue('')
  const { total } = await api(page.request, staff, 'GET', `requisitions/${id}/payments`)
  expect(total).toBe(1)
  await expect(paid).toHaveCount(1)
})

test('a payment for what is charged in another currency is entered in that one', async ({ page, expectAccessible }) => {
  const staff = await sessionOf(page.request, 'staff')
  const { id } = await deliveredCopy(page.request, staff)
  const form = page.getByRole('region', { name: 'Add Payment' })
  await openAs(page, staff, `/requisitions/${id}/show/payments`)
  await expect(form.getByLabel('Amount')).toBeVisible()
  await expect(form.getByLabel('Currency')).toHaveCount(0)
  // No client of the demo has prices in two currencies, so the reply puts the account into another one.
  await page.route(`**/requisitions/${id}/account`, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replaceAll('"USD"', '"CAD"') })
  })
  await page.reload()
  await expect(form.getByLabel('Currency')).toContainText('Canadian')
  await fillPayment(page, { payer: 'Client', amount: '1,23450', number: `C${id}` })
  const submit = form.getByRole('button', { name: 'Add Payment' }).first()
  await submit.click()
  await expect(form.getByText('Amount must be a number')).toBeVisible()
  await expectAccessible(page)
  await picture(page, 'payment-currency')
  await form.getByLabel('Amount').fill('1,234.50')
  await submit.click()
  await expect(page.getByRole('table', { name: 'Payments' })).toContainText('CAD 1,234.50')
  // The account is read again after the payment, maybe just now.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('BLG-120 what was billed is not billed again by being delivered again, but by a person who asks for it', async ({
  page,
  expectAccessible,
}) => {
  const staff = await sessionOf(page.request, 'staff')
  const call = (method: string, path: string, data?: object) => api(page.request, staff, method, path, data)
  const { id } = await deliveredCopy(page.request, staff)
  const [{ billId }] = (await call('GET', `requisitions/${id}/billings`)).data
  await call('PUT', `requisitions/${id}/billings/${billId}`, { reqBillTypeCode: 'CLIENT' })
  await call('POST', `requisitions/${id}/req_icds`, {
    customIcd: { icdCode: `Q99.${String(id).slice(-4)}`, icdDesc: 'By journey' },
  })
  await call('POST', 'billing/run', { reqIds: [id] })
  const batch: number = (await call('POST', 'billing/batch', { reqIds: [id] })).data.id
  await call('POST', `billing/batch/${batch}/send`, {})
  await call('PUT', `requisitions/${id}`, { reqStatusCode: 'PROCESS' })
  await call('PUT', `requisitions/${id}`, { reqStatusCode: 'DELIVER' })

  await openAs(page, staff, `/requisitions/${id}/show/status`)
  await page.getByRole('button', { name: 'Run billing' }).click()
  await expect(page.getByText(`Already billed in batch ${batch}; it is 'Billed' again`)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Run billing' })).toHaveCount(0)
  await choose(page, 'Billing Status', 'Ready to bill')
  await expect(page.getByText('Successfully updated')).toBeVisible()

  await go(page, '/requisitions?status=BillingBatch')
  await page.getByRole('button', { name: 'Create Batch' }).click()
  const dialog = page.getByRole('dialog')
  const why = dialog.getByText(`Already billed in batch ${batch}`).first()
  await expect(why).toBeVisible()
  const create = dialog.getByRole('button', { name: /^(Create batch of \d+|Nothing to bill)$/ })
  const size = async () => Number(/\d+/.exec((await create.textContent()) ?? '')?.[0] ?? 0)
  const before = await size()
  await expectAccessible(page)
  const again = dialog.getByRole('group', { name: /^Bill again what an earlier batch has billed \(\d+\)$/ })
  await again.getByRole('checkbox', { name: `#${id} |` }).check()
  await expect(dialog.getByRole('row', { name: new RegExp(`#${id}.*Already billed`) })).toHaveCount(0)
  expect(await size()).toBe(before + 1)
  await picture(page, 'bill-again')
  await create.click()
  const made = page.getByText(/^Billing batch \d+ created with \d+ requisition\(s\)$/)
  const next = /\d+/.exec((await made.textContent()) ?? '')?.[0]
  await go(page, `/requisitions/${id}/show/billing`)
  await expect(page.getByText(`To be billed again in batch ${next}. Already billed in batch ${batch}`)).toBeVisible()
  // The others in it are the work of other journeys.
  await call('POST', `billing/batch/${next}/cancel`, { reason: 'Made by journey' })
  await call('PUT', `requisitions/${id}`, { reqStatusCode: 'BILL' })
})

test('BLG-132 a batch whose files could not be stored is tried again in its dialog, and a download says which batch is gone', async ({
  page,
  expectAccessible,
}) => {
  const staff = await sessionOf(page.request, 'staff')
  const call = (method: string, path: string, data?: object) => api(page.request, staff, method, path, data)
  const batchOfOne = async (): Promise<number> => {
    const { id } = await deliveredCopy(page.request, staff)
    const [{ billId }] = (await call('GET', `requisitions/${id}/billings`)).data
    await call('PUT', `requisitions/${id}/billings/${billId}`, { reqBillTypeCode: 'CLIENT' })
    await call('POST', `requisitions/${id}/req_icds`, {
      customIcd: { icdCode: `Q99.${String(id).slice(-4)}`, icdDesc: 'By journey' },
    })
    await call('POST', 'billing/run', { reqIds: [id] })
    return (await call('POST', 'billing/batch', { reqIds: [id] })).data.id
  }
  const kept = await batchOfOne()
  const gone = await batchOfOne()
  const message = 'The files of the billing batch could not be stored. Please send it again.'
  // As the server answers when its store takes no files.
  await page.route(
    `**/billing/batch/${kept}/send`,
    (route) => route.fulfill({ json: { data: { moved: [], refused: [], sendStatusCode: 'FAILED' }, message } }),
    { times: 1 },
  )
  await openAs(page, staff, '/requisitions?status=BillingBatch')
  await page.getByRole('button', { name: `Send batch ${kept}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Send' }).click()
  await expect(dialog.getByRole('alert')).toHaveText(message)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('1 requisition(s) billed')).toBeVisible()
  await expect(dialog).toHaveCount(0)

  for (const batch of [kept, gone])
    await page
      .getByRole('row', { name: new RegExp(`\\b${batch}\\b`) })
      .first()
      .getByRole('checkbox')
      .check()
  await call('POST', `billing/batch/${gone}/cancel`, { reason: 'Made by journey' })
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Bulk Download' }).first().click()
  expect((await download).suggestedFilename()).toBe(`billing-batch-${kept}.zip`)
  await expect(page.getByText(`Billing batch ${gone} not found`)).toBeVisible()
})

const outsiders = [
  { account: 'sales', notes: true, documents: true, upload: false, payments: true },
  { account: 'collaborator', notes: true, documents: true, upload: true, payments: false },
  { account: 'client', notes: false, documents: false, upload: false, payments: false },
] as const

test('BLG-006 BLG-008 BLG-009 DOC-05..DOC-09 sales, collaborators and clients see their part of billing, and nothing to change', async ({
  page,
}) => {
  test.slow()
  for (const { account, notes, documents, upload, payments } of outsiders) {
    const session = await sessionOf(page.request, account)
    const { data } = await api(page.request, session, 'GET', 'requisitions/DELIVER?perPage=25')
    const id: number = data[0].id
    await openAs(page, session, `/requisitions/${id}/show/billing`)
    const tabs = page.getByRole('navigation').filter({ has: page.getByRole('link', { name: /^Billing$/ }) })
    await expect(page.getByRole('heading', { name: 'ICD Codes', exact: true })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Billing Notes' })).toHaveCount(notes ? 1 : 0)
    await expect(page.getByRole('heading', { name: 'Downloads/Uploads' })).toHaveCount(documents ? 1 : 0)
    await expect(page.getByText('Scanned Requisition', { exact: true })).toHaveCount(documents ? 1 : 0)
    for (const section of ['Insurance card', 'Add-On Document', 'Scanned EOB', 'Scanned Invoice', 'Received Check'])
      await expect(page.getByText(section, { exact: true })).toHaveCount(upload ? 1 : 0)
    if (!notes) await expect(page.getByRole('heading', { name: 'Previous ICD codes' })).toHaveCount(0)
    await expect(page.getByRole('button', { name: /^Upload/ }).first()).toBeVisible({ visible: upload })
    for (const name of ['Edit', 'Add ICD', 'Previous Insurances', 'Add', 'Add Note'])
      await expect(page.getByRole('button', { name, exact: true }), account).toHaveCount(0)
    await expect(tabs.getByRole('link', { name: 'Payments' })).toHaveCount(payments ? 1 : 0)
    if (!payments) continue
    await go(page, `/requisitions/${id}/show/payments`)
    await expect(page.getByRole('heading', { name: 'Balance' })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Add Payment' })).toHaveCount(0)
    await expect(page.getByRole('checkbox')).toHaveCount(0)
  }
})

test('a payment that is there already is asked about; Cancel is the safe choice and keeps what was typed DAY-35 DAY-36', async ({
  page,
  faults,
}) => {
  faults.expect(/409/)
  const staff = await sessionOf(page.request, 'staff')
  const { id } = await deliveredCopy(page.request, staff)
  await openAs(page, staff, `/requisitions/${id}/show/payments`)
  const form = page.getByRole('region', { name: 'Add Payment' })
  const submit = form.getByRole('button', { name: 'Add Payment' }).first()
  const paid = page.getByRole('table', { name: 'Payments' }).getByRole('row', { name: /11\/5\/2025.*\$2\.50/ })
  await fillPayment(page, { payer: 'Patient', amount: '2.50', number: `T${id}` })
  await submit.click()
  await expect(paid).toHaveCount(1)
  await fillPayment(page, { payer: 'Patient', amount: '2.50', number: `T${id}` })
  await submit.click()
  const question = page.getByRole('dialog', { name: 'Please check before saving' })
  await expect(question).toContainText(`A payment T${id} by Journey Payer with the same date and amount`)
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await picture(page, 'payment-question')
  await page.keyboard.press('Enter')
  await expect(question).toBeHidden()
  await expect(form.getByLabel('Check/Confirmation Number')).toHaveValue(`T${id}`)
  await expect(paid).toHaveCount(1)
  await submit.click()
  await question.getByRole('button', { name: 'Save anyway' }).click()
  await expect(paid).toHaveCount(2)
})

/** A tab of the list with one requisition in it. */
const listOf = (status: string, id: number) => {
  const filter = JSON.stringify([{ id: 'reqId', value: String(id), viewValue: String(id) }])
  return `/requisitions?status=${status}&smartFilter=${encodeURIComponent(filter)}`
}

test('a requisition in billing shows its true status in list, header and Billing tab, and the bar counts what is billed LIST-063 DETAIL-006', async ({
  page,
}) => {
  const staff = await sessionOf(page.request, 'staff')
  const { data } = await api(page.request, staff, 'GET', 'requisitions/BILL?filter=[reqStatusCode:READYBILL]&perPage=1')
  const { id } = data[0] as { id: number }
  await openAs(page, staff, listOf('All', id))
  const row = page.getByRole('row', { name: new RegExp(String(id)) })
  await expect(row).toContainText('Ready to bill')
  await expect(row).not.toContainText('Billed')
  const { data: counts } = await api(page.request, staff, 'GET', 'requisitions/status_count')
  const sum = (codes: readonly string[]) =>
    (counts as { reqStatusCode: string; reqStatusCount: number }[])
      .filter(({ reqStatusCode }) => codes.includes(reqStatusCode))
      .reduce((total, { reqStatusCount }) => total + reqStatusCount, 0)
      .toLocaleString('en-US')
  const billed = ['BILL']
  const others = ['OABILL', 'XEROBILL', 'INVOICE', 'EOB', 'INSPAYRECD', 'PATPAYRECD', 'MISSBILL', 'READYBILL', 'INBILL']
  const bar = page.getByRole('navigation', { name: 'Requisitions by status' })
  await expect(bar.getByRole('link', { name: /^Billing/ })).toContainText(
    sum([...billed, ...others, 'HOLD', 'NONCOLLECT']),
  )
  await expect(bar.getByRole('link', { name: /^Billing/ })).toContainText(`${sum(billed)} billed`)
  await go(page, `/requisitions/${id}/show/billing`)
  await expect(page.getByRole('link', { name: /^Status Billed/ })).toBeVisible()
  await expect(page.getByRole('banner').or(page.locator('main')).getByText('Ready to bill').first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Bill To' })).toContainText('Ready to bill')
  await go(page, listOf('Billing', id))
  await expect(page.getByRole('columnheader', { name: 'Balance' })).toBeVisible()
  await expect(page.getByRole('row', { name: new RegExp(`${id}.*Ready to bill.*\\$`) })).toBeVisible()
  await picture(page, 'billing-list-balance')
})

test('billing is run for several delivered requisitions at once, and says before what it will do', async ({ page }) => {
  const staff = await sessionOf(page.request, 'staff')
  const { id } = await deliveredCopy(page.request, staff)
  await openAs(page, staff, listOf('Delivered', id))
  await page
    .getByRole('row', { name: new RegExp(String(id)) })
    .getByRole('checkbox')
    .check()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Run billing' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Has no ICD code')
  await picture(page, 'run-billing-plan')
  await expect(dialog.getByRole('link', { name: 'Open Billing' }).first()).toBeVisible()
})

test('a bill that is paid in full offers the next status', async ({ page }) => {
  const staff = await sessionOf(page.request, 'staff')
  const { id, due } = await deliveredCopy(page.request, staff)
  await api(page.request, staff, 'PUT', `requisitions/${id}`, { reqStatusCode: 'BILL' })
  await openAs(page, staff, `/requisitions/${id}/show/payments`)
  await fillPayment(page, { payer: 'Patient', amount: due, number: `F${id}` })
  const form = page.getByRole('region', { name: 'Add Payment' })
  await form.getByRole('button', { name: 'Add Payment' }).first().click()
  await expect(page.getByText('Paid in full.')).toBeVisible()
  await picture(page, 'paid-in-full')
  await page.getByRole('button', { name: 'Set status: Patient payment received' }).click()
  await expect(page.getByText('Paid in full.')).toHaveCount(0)
  await expect(page.getByText('Patient payment received').first()).toBeVisible()
})

test("the laboratory's note on a client is not shown to the practice", async ({ page }) => {
  const staff = await sessionOf(page.request, 'staff')
  const client = await sessionOf(page.request, 'client')
  const { data } = await api(page.request, client, 'GET', 'clients')
  const { id } = data[0] as { id: number }
  await openAs(page, staff, `/clients/${id}/show?tab=5`)
  await page.getByRole('button', { name: 'Edit' }).last().click()
  await page.getByLabel('Note', { exact: true }).fill('Slow payer, watch credit')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Only the laboratory can read this note.')).toBeVisible()
  await picture(page, 'client-note-internal')
  await openAs(page, client, `/clients/${id}/show?tab=5`)
  await expect(page.getByText('There is no note.')).toBeVisible()
  await go(page, `/clients/${id}/show?tab=6`)
  await expect(page.getByText('Slow payer')).toHaveCount(0)
})
