import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { APIRequestContext, Page } from '@playwright/test'
import { freePort } from '../../apps/server/test/free-port.ts'
import { scannedSheet } from '../../apps/server/test/sample-sheets.ts'
import { unzip } from '../../apps/server/test/unzip.ts'
import { type Account, demoPassword } from '../support/accounts.ts'
import { keepAnswers, withPatientData } from '../support/answers.ts'
import { go } from '../support/go.ts'
import {
  askAndSendByAstm,
  fhirOrder,
  hl7Order,
  listenOn,
  type Measured,
  openChemistry,
  openPracticeSystem,
  practiceApp,
} from '../support/laboratory-day.ts'
import { shown } from '../support/order-form.ts'
import { expectCode } from '../support/outbox.ts'
import { sessionOf } from '../support/people.ts'
import { type Product, startProduct } from '../support/product.ts'
import { box, type Calls, callsOf, card, daysAgo, text } from '../support/requisition.ts'
import { test as base, expect, scan } from '../support/test.ts'

const ordersPort = await freePort()

/** A product of its own: the day switches signatures on, uses the analysers of the demo, and verifies the whole audit. */
const test = base.extend<object, { product: Product }>({
  product: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to know what a fixture needs
    async ({}, use) => {
      const product = await startProduct({
        HL7_LISTEN: `127.0.0.1:${ordersPort}`,
        BILLING_RUN_AT: 'off',
        RATE_LIMIT_PER_MINUTE: '100000',
      })
      await use(product)
      await product.stop()
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  baseURL: async ({ product }, use) => use(product.url),
})

test.use({ actionTimeout: 60_000 })

test("a laboratory's day: three orders from the door to the payment", async ({ page, signIn, product }) => {
  test.setTimeout(15 * 60_000)
  const answers = keepAnswers(page)
  const calls = async (account: Account) => callsOf(answers.request, await sessionOf(page.request, account))
  const admin = await calls('admin')
  const staffCalls = await calls('staff')
  const practice = await openPracticeSystem(ordersPort)
  const [client] = await admin.get('clients?perPage=1&sort=[id,ASC]')
  const [physician] = await admin.get(`clients/${client.id}/physicians`)
  const { labId } = await admin.get(`requisitions/create/presets?clientId=${client.id}`)
  const order = { physicianNpi: physician.npiNumber }
  const names = { hl7: 'Vargas', fhir: 'Abara', paper: 'Novak' }
  const [cobas, tosoh] = [
    { id: 0, port: 0 },
    { id: 0, port: 0 },
  ]
  const ids = { hl7: 0, fhir: 0, paper: 0 }
  const partner = { secret: '' }
  await test.step('the evening before: the practice is connected, and reports have to be signed', async () => {
    const tests: { id: number; testCode: string }[] = await admin.get('default_tests?perPage=-1')
    const chol = tests.find(({ testCode }) => testCode === 'CHOL')?.id
    const hl7 = { name: 'Desert Ridge by HL7', kind: 'HL7', clientId: client.id, resultUrl: practice.resultUrl }
    const { id } = await admin.post('interfaces', { ...hl7, ...practiceApp })
    await admin.put(`interfaces/${id}/codes`, { codes: [{ code: 'CHOLT', testId: chol }] })
    const api = await admin.post('api_clients', {
      name: 'Desert Ridge system',
      userRoleCode: 'CLNT',
      entityId: client.id,
      scopes: ['system/*.cruds'],
      useSecret: 1,
    })
    partner.secret = btoa(`${api.clientId}:${api.clientSecret}`)
    await admin.post('interfaces', {
      name: 'Desert Ridge by FHIR',
      kind: 'FHIR',
      clientId: client.id,
      apiClientId: api.id,
    })
    const [{ id: director }] = await admin.get('users?filter=[userName:management]')
    await admin.post(`labs/${labId}/signers`, {
      userId: director,
      deptIds: [],
      qualifications: 'MD, FCAP',
      identityCheckedBy: 'Human resources, passport seen',
      validFrom: daysAgo(30),
      validTo: null,
    })
    await admin.put(`labs/${labId}`, { isSignatureRequired: 1 })
    await reviewNewResults(await calls('client'))
    Object.assign(cobas, await listenOn(admin, 'Cobas c503'))
    Object.assign(tosoh, await listenOn(admin, 'Tosoh G11'))
  })

  await test.step('an order comes in by HL7', async () => {
    const answer = await practice.send(hl7Order({ ...order, lastName: names.hl7 }))
    expect(answer).toContain(`\rMSA|AA|DR-${names.hl7}`)
    ids.hl7 = await requisitionOf(admin, `DR-${names.hl7}`)
  })
  await test.step('one by FHIR', async () => {
    const token = await tokenOf(answers.request, partner.secret)
    const reply = await answers.request.post('/fhir/R4', {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/fhir+json' },
      data: JSON.stringify(fhirOrder({ ...order, lastName: names.fhir })),
    })
    expect(reply.status(), await reply.text()).toBe(200)
    ids.fhir = await requisitionOf(admin, `DR-${names.fhir}`)
  })
  await test.step('and one on paper: it is scanned, read, checked by a person and saved', async () => {
    const [month, day, year] = [5, 8, 0].map((from, at) => daysAgo(1).slice(from, from + (at === 2 ? 4 : 2)))
    const sheet = await scannedSheet([
      ['Client', client.clientName],
      ['Physician', `${physician.physFirstName} ${physician.physLastName}`],
      ['Last Name', names.paper],
      ['First Name', 'Nora'],
      ['Date of Birth', '03/05/1961'],
      ['Gender', 'Female'],
      ['Date Collected', `${month}/${day}/${year}`],
      ['Time Collected', '10:05 AM'],
      ['External Order ID', 'PO-48213'],
      ['Tests', 'CHOL, HDL'],
    ])
    await signIn(page, 'staff', '/requisitions/create')
    await expect(box(page, 'Collaborator')).not.toHaveValue('')
    await page.locator('input[type=file]').setInputFiles({ name: 'order.jpg', mimeType: 'image/jpeg', buffer: sheet })
    await page.getByRole('button', { name: 'Read the scan' }).click()
    const read = card(page, 'Read from the scan')
    await expect(read.getByRole('button', { name: 'Take Client' })).toBeVisible({ timeout: 90_000 })
    await read.getByRole('button', { name: 'Take Client' }).click()
    await expect(box(page, 'Client')).toHaveValue(client.clientName)
    await expect(box(page, 'Client Event')).toHaveText('Routine orders')
    for (const take of await read.getByRole('button', { name: /^Take / }).all())
      if (await take.isEnabled()) await take.click()
    await expect(text(page, 'Last Name')).toHaveValue(names.paper)
    await expect(box(page, 'Physician')).not.toHaveValue('')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await expect(page).toHaveURL(shown)
    ids.paper = Number(/\d+/.exec(new URL(page.url()).pathname)?.[0])
  })
  const three = [ids.hl7, ids.fhir, ids.paper] as const

  await test.step('the tubes are received by scanner; the whole blood, whose label does not say what it is, by hand', async () => {
    await signIn(page, 'staff', '/requisitions?status=Logged')
    await expect(page.getByRole('heading', { name: 'Requisitions', level: 1 })).toBeVisible()
    await page.getByRole('combobox', { name: /^Scan mode/ }).click()
    await page.getByRole('option', { name: 'Receive', exact: true }).click()
    const last = page.getByRole('status', { name: 'Last scan' })
    for (const id of [ids.hl7, ids.paper]) {
      await scan(page, `${id}S`)
      await expect(last).toContainText(`Received: #${id}`)
    }
    await scan(page, String(ids.fhir))
    await expect(last).toContainText('Please choose the Specimen Type')
    await page.goto(`/requisitions/${ids.fhir}/show/specimens`)
    await page.getByRole('textbox', { name: 'Scan to receive' }).fill(String(ids.fhir))
    await page.keyboard.press('Enter')
    const form = card(page, 'Add Specimen')
    await choose(page, /^Specimen Type/, 'EDTA whole blood')
    await choose(page, /^Temperature/, 'Refrigerated')
    await choose(page, /^Container/, 'EDTA tube (lavender)')
    await form.getByRole('button', { name: 'Add Specimen' }).click()
    await expect(form).toBeHidden()
    await moveOn(page, 'Logged', three, 'Accessioned')
    await moveOn(page, 'Accessioned', three, 'Processing')
  })
  const chemistry = await openChemistry(cobas.port)
  const tube = (specimen: number, values: Readonly<Record<string, string>>): Measured[] =>
    Object.entries(values).map(([code, value]) => ({ specimen: `${specimen}S`, code, value, units: 'mg/dL' }))

  await test.step('the control of cholesterol fails on the analyser: what is measured meanwhile waits for a person', async () => {
    const control = { specimen: 'PCCC-1', units: 'mg/dL', isControl: true, at: minutesAgo(20) }
    await chemistry.send([
      { ...control, code: 'CHOL', value: '197' },
      { ...control, code: 'HDL', value: '52' },
      { ...control, code: 'TRIG', value: '121' },
    ])
    const early = tube(ids.hl7, { CHOL: '231', HDL: '62', TRIG: '118' })
    await chemistry.send(early.map((one) => ({ ...one, at: minutesAgo(15) })))
    await expect
      .poll(() => statesOf(staffCalls, ids.hl7))
      .toEqual({ CHOL: ['REVIEW'], HDL: ['VERIFIED'], TRIG: ['VERIFIED'] })
  })
  await test.step('it is put back by a corrective action and a good run, and the tube is measured again', async () => {
    await signIn(page, 'staff', `/quality-control?instrumentId=${cobas.id}&testCode=CHOL`)
    await expect(page.getByRole('heading', { name: /^Out of control since/ })).toBeVisible()
    const action = page.getByRole('form', { name: 'Corrective action' })
    await action.getByLabel('What it looks like').fill('The reagent had run low')
    await action.getByLabel('Something else').fill('New reagent, calibrated')
    await action.getByRole('button', { name: 'Record the action' }).click()
    await expect(action).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Enter the run' })).toBeEnabled()
    await chemistry.send([{ specimen: 'PCCC-1', code: 'CHOL', value: '181', units: 'mg/dL', isControl: true }])
    await expect(async () => {
      await page.reload()
      await expect(page.getByText('New reagent, calibrated').first()).toBeVisible()
      await expect(page.getByRole('heading', { name: /^Out of control/ })).toHaveCount(0, { timeout: 2000 })
    }).toPass()
    await page.goto(`/review?instrumentId=${cobas.id}`)
    const waiting = page.getByRole('table', { name: 'Results that wait' }).locator('tr.row', { hasText: names.hl7 })
    await expect(waiting).toContainText('out of control')
    await waiting.getByTitle(names.hl7).click()
    await page.keyboard.press('r')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Measured while the control was out')
    await dialog.getByRole('button', { name: 'Rerun' }).click()
    await expect(page.getByText('1 result sent back for a rerun')).toBeVisible()
    await expect(waiting).toHaveCount(0)
  })
  await test.step('most results verify by themselves', async () => {
    await chemistry.send([...tube(ids.hl7, { CHOL: '184' }), ...tube(ids.paper, { CHOL: '172', HDL: '64' })])
    await expect.poll(() => statesOf(staffCalls, ids.paper)).toEqual({ CHOL: ['VERIFIED'], HDL: ['VERIFIED'] })
    await expect.poll(async () => (await statesOf(staffCalls, ids.hl7)).CHOL).toEqual(['RERUN', 'VERIFIED'])
    for (const id of [ids.hl7, ids.paper]) await expect.poll(() => statusOf(staffCalls, id)).toBe('RESULT')
  })
  await test.step('one is critical: a person accepts it and calls the practice, which reads it back', async () => {
    expect(await askAndSendByAstm(tosoh.port, ids.fhir, '14.6')).toEqual(['HbA1c'])
    await signIn(page, 'staff', `/review?instrumentId=${tosoh.id}`)
    const waiting = page.getByRole('table', { name: 'Results that wait' }).locator('tr.row', { hasText: names.fhir })
    await expect(waiting).toContainText('Critical: A1C 14.6')
    await waiting.getByTitle(names.fhir).click()
    await page.keyboard.press('a')
    await expect(page.getByText('1 result accepted')).toBeVisible()
    await page.goto('/critical-calls')
    await page.getByRole('button', { name: new RegExp(`^Call about ${names.fhir}, Omar`) }).click()
    const sheet = page.getByRole('region', { name: 'Call a critical result' })
    await sheet.getByRole('button', { name: 'Take this call' }).click()
    await expect(sheet).toContainText('has this call')
    const readBack = async (value: string) => {
      await sheet.getByLabel('Value as it was read back').fill(value)
      await sheet.getByRole('button', { name: /^Close the call/ }).click()
    }
    await sheet.getByLabel('Taken by').fill('Ada Okonjo')
    await readBack('16.4')
    await expect(sheet).toContainText('read back 16.4, which is another value')
    // The form is emptied after the try is shown.
    await expect(sheet.getByLabel('Value as it was read back')).toHaveValue('')
    await readBack('14.6')
    await expect(sheet).toContainText('read back.')
  })
  await test.step('reports are made, and the patients on them are checked', async () => {
    await signIn(page, 'staff')
    await bulk(page, 'Resulted', three, 'Make reports', /^Make reports: 3/)
    for (const id of three)
      await expect.poll(async () => (await staffCalls.get(`requisitions/${id}/reports`)).length).toBe(1)
    await moveOn(page, 'Resulted', three, 'Reported')
    await page.goto(listOf('Reported', three))
    for (const id of three) {
      const saved = page.waitForResponse(new RegExp(`/requisitions/${id}/dem_qc$`))
      await page.getByRole('switch', { name: `Demographic QC of #${id}` }).click()
      expect((await saved).status()).toBe(200)
    }
  })
  await test.step('the director signs: two normal reports together, and the critical one after reading it', async () => {
    await signIn(page, 'management', '/sign-out')
    await page.getByRole('checkbox', { name: `Choose ${names.hl7}, Inés` }).check()
    await page.getByRole('checkbox', { name: `Choose ${names.paper}, Nora` }).check()
    const together = page.getByRole('region', { name: 'Sign together' })
    await together.getByRole('button', { name: 'Dry run' }).click()
    await together.getByRole('button', { name: 'Sign 2…' }).click()
    await sign(page)
    await expect(page.getByText('2 reports signed and released')).toBeVisible()
    await signOne(page, `${names.fhir}, Omar`)
  })
  await test.step('and they are delivered: to the system that has sent the order, the others to the portal', async () => {
    await signIn(page, 'staff')
    await moveOn(page, 'Reported', three, 'Released')
    await bulk(page, 'Released', three, 'Deliver', /^Deliver: 3/)
    await expect.poll(() => practice.results.length).toBe(1)
    // The report itself is in the last segment.
    const [sent = ''] = practice.results[0]?.split('|ED|') ?? []
    for (const part of ['ORU^R01', `DR-${names.hl7}-1`, `|${ids.hl7}^LIS`, '88-2031', '2093-3^', '^CHOLT^', '|184|'])
      expect(sent).toContain(part)
    for (const id of [ids.fhir, ids.paper]) await expect.poll(() => deliveredBy(staffCalls, id, 1)).toEqual(['PORTAL'])
  })
  await test.step('the practice wants one by e-mail, by fax and on paper too', async () => {
    await signIn(page, 'staff')
    await page.goto(`/requisitions/${ids.hl7}/show/reportsDelivery`)
    const dialog = page.getByRole('dialog')
    for (const way of ['E-mail', 'Secure fax', 'Print']) {
      await page.getByRole('checkbox', { name: `Select ${ids.hl7}.pdf` }).check()
      await page.getByRole('button', { name: 'Deliver 1 selected' }).click()
      await choose(page, 'Delivery Method', way)
      await dialog.getByRole('button', { name: 'Deliver', exact: true }).click()
      await expect(dialog).toBeHidden()
    }
    await page.getByRole('button', { name: new RegExp(`^Mark as printed ${ids.hl7}.pdf`) }).click()
    await expect.poll(() => deliveredBy(staffCalls, ids.hl7, 1)).toEqual(['EMAIL', 'FAX', 'HL7', 'PRINT'])
    for (const id of three) await expect.poll(() => statusOf(staffCalls, id)).toBe('DELIVER')
  })
  await test.step('the practice sees its results on Home, the critical one first, and reads the report; its system reads it by FHIR', async () => {
    await signIn(page, 'client')
    const results = card(page, 'New results')
    const critical = results.getByRole('article').first()
    await expect(critical).toHaveAccessibleName(`${names.fhir}, Omar`)
    await expect(critical).toContainText('Critical')
    await expect(critical.getByRole('row', { name: /Hemoglobin A1c/ })).toContainText('14.6')
    await expect(results).toContainText(`${names.hl7}, Inés`)
    await critical.getByRole('link', { name: `#${ids.fhir}` }).click()
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: `View ${ids.fhir}.pdf` }).click()
    await (await opened).close()
    const ofFhir = async () => (await staffCalls.get(`requisitions/${ids.fhir}/deliveries`))[0]?.deliveryState
    await expect.poll(ofFhir).toBe('OPENED')
    await go(page, '/', critical)
    await critical.getByRole('button', { name: /^Reviewed: / }).click()
    await expect(results.getByRole('article', { name: `${names.fhir}, Omar` })).toHaveCount(0)

    const headers = { authorization: `Bearer ${await tokenOf(answers.request, partner.secret)}` }
    const found = await (
      await answers.request.get(`/fhir/R4/DiagnosticReport?identifier=${ids.fhir}`, { headers })
    ).json()
    const [{ resource: report }] = found.entry
    expect(report.status).toBe('final')
    const pdf = await answers.request.get(report.presentedForm[0].url, {
      headers: { ...headers, accept: 'application/pdf' },
    })
    expect((await pdf.body()).subarray(0, 5).toString()).toBe('%PDF-')
  })
  await test.step('one result was wrong: it is modified, and its report corrected', async () => {
    await signIn(page, 'staff', `/requisitions/${ids.hl7}/show/status`)
    await choose(page, /^Status/, 'Processing')
    await expect(page.getByText('Successfully updated status').first()).toBeVisible()
    await page.goto(`/requisitions/${ids.hl7}/show/tests`)
    const tests = page.getByRole('table', { name: 'Tests', exact: true })
    await tests.getByRole('checkbox', { name: 'Select CHOL', exact: true }).check()
    await page.getByRole('button', { name: 'Modify', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Modify' }).click()
    const result = tests.getByRole('textbox', { name: 'CHOL result', exact: true })
    await expect(result).toBeEditable()
    await result.fill('194')
    await result.press('Enter')
    await expect(page.getByText(`Every test of #${ids.hl7} has its result`, { exact: false })).toBeVisible()
    await page.goto(`/requisitions/${ids.hl7}/show/reportsDelivery`)
    await page.getByRole('button', { name: `Correct ${ids.hl7}.pdf` }).click()
    await expect(dialog.getByText(/the correction goes to everyone/)).toBeVisible()
    await dialog.getByLabel(/Reason for the correction/).fill('The dilution had not been entered')
    await dialog.getByRole('button', { name: 'Correct', exact: true }).click()
    await expect(page.getByRole('table', { name: 'Versions' }).getByText('1, superseded')).toBeVisible()
  })
  await test.step('the correction is signed, and everybody who had the report gets it', async () => {
    await signIn(page, 'management', '/sign-out')
    await signOne(page, `${names.hl7}, Inés`)
    await expect.poll(() => practice.results.at(-1)?.split('|ED|')[0] ?? '').toMatch(/\|194\|.*\|C\r/)
    await signIn(page, 'staff', `/requisitions/${ids.hl7}/show/reportsDelivery`)
    await page.getByRole('button', { name: /^Mark as printed / }).click()
    await expect.poll(() => deliveredBy(staffCalls, ids.hl7, 2)).toEqual(['EMAIL', 'FAX', 'HL7', 'PRINT'])
    await expect.poll(() => statusOf(staffCalls, ids.hl7)).toBe('DELIVER')
    await signIn(page, 'client')
    await expect(card(page, 'New results').getByRole('article', { name: `${names.hl7}, Inés` })).toContainText(
      'Corrected',
    )
  })
  await test.step('the orders are billed: one lacks a diagnosis first', async () => {
    await signIn(page, 'staff')
    await bulk(page, 'Delivered', three, 'Run billing', /^Run billing: 2/)
    await page.goto(`/requisitions/${ids.paper}/show/billing`)
    await expect(page.getByRole('table', { name: 'Billing Notes' })).toContainText(
      /Missing billing information: .*ICD code/,
    )
    await page.getByRole('button', { name: 'Add ICD' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Select ICD' }).pressSequentially('E78.5')
    await page.getByRole('option', { name: /^E78\.5/ }).click()
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(page.getByRole('table', { name: 'ICD Codes' }).getByText('E78.5', { exact: true })).toBeVisible()
    const saved = page.waitForResponse(
      (reply) => /\/billings\//.test(reply.url()) && reply.request().method() === 'PUT',
    )
    await choose(page, 'Bill Type', 'Client')
    await saved
    await page.goto(`/requisitions/${ids.paper}/show/status`)
    await page.getByRole('button', { name: 'Run billing' }).click()
    await expect(page.getByText('Ready to bill').first()).toBeVisible()
  })
  await test.step('claims and invoices are written in a batch, and downloaded', async () => {
    await signIn(page, 'staff', '/requisitions?status=BillingBatch')
    await page.getByRole('button', { name: 'Create Batch' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /^Create batch of \d+$/ }).click()
    const made = page.getByText(/^Billing batch \d+ created with \d+ requisition\(s\)$/)
    const [, batch = ''] = /(\d+) created/.exec((await made.textContent()) ?? '') ?? []
    await page.getByRole('button', { name: `Send batch ${batch}` }).click()
    await dialog.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText(/^\d+ requisition\(s\) billed/).first()).toBeVisible({ timeout: 180_000 })
    for (const id of three) await expect.poll(() => statusOf(staffCalls, id)).toBe('BILL')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: new RegExp(`^Download batch ${batch}`) }).click()
    const files = await unzip(readFileSync(await (await download).path()))
    const claims = String(files[`batch-${batch}/claims-${batch}.837`])
    for (const name of [names.hl7, names.fhir]) expect(claims).toContain(`NM1*IL*1*${name.toUpperCase()}`)
  })
  await test.step('and paid', async () => {
    await signIn(page, 'staff')
    for (const [id, payer] of [
      [ids.hl7, 'Insurance'],
      [ids.fhir, 'Insurance'],
      [ids.paper, 'Client'],
    ] as const) {
      const { balances } = await staffCalls.get(`requisitions/${id}/account`)
      await page.goto(`/requisitions/${id}/show/payments`)
      await pay(page, { payer, amount: balances[0].charged, number: `EOB-${id}` })
      await expect(
        page.getByRole('table', { name: 'Balance' }).getByRole('row', { name: 'Balance $0.00' }),
      ).toBeVisible()
    }
  })
  await test.step("SOUT-10 the inspector's pack is made", async () => {
    await signIn(page, 'management', `/labs/${labId}/show`)
    await page.getByRole('button', { name: 'Make pack' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Make', exact: true }).click()
    const download = page.getByRole('button', { name: 'Download pack' })
    await expect(download).toBeVisible({ timeout: 90_000 })
    const [answer] = await Promise.all([page.waitForResponse(/report_files\//), download.click()])
    const pack = await unzip(await (await page.request.get((await answer.json()).data.url)).body())
    const holds = (file: string, text: string | number) => expect(String(pack[file]), file).toContain(String(text))
    holds('quality-control/corrective-actions.csv', 'The reagent had run low')
    holds('critical-calls.csv', ids.fhir)
    holds('corrected-reports.csv', `${ids.hl7}_corrected.pdf`)
    holds('competency.csv', 'MD, FCAP')
  })
  await test.step('SOUT-11 every read is in the access log', async () => {
    const reads = await withPatientData(answers)
    expect(reads.length).toBeGreaterThan(50)
    const log = await calls('admin')
    const missing = async () => {
      const found = new Set<string>()
      for (let at = 0; at < reads.length; at += 50) {
        const asked = JSON.stringify({ requestId: reads.slice(at, at + 50).map(({ requestId }) => requestId) })
        for (const row of await log.get(`access_log?perPage=100&filter=${encodeURIComponent(asked)}`))
          found.add(row.requestId)
      }
      return reads.filter(({ requestId }) => !found.has(requestId)).map(({ method, path }) => `${method} ${path}`)
    }
    await expect.poll(missing, { timeout: 60_000 }).toEqual([])
  })
  await test.step('SOUT-09 every step is in the audit, under the name of who did it', async () => {
    const [staff, director] = ['Stella Núñez', 'Marcus Lindström']
    const ofAll = [
      `${staff}: specimen SPECIMEN`,
      `${staff}: requisition STATUS`,
      `${staff}: report REPORT`,
      `${staff}: requisition DEMQC`,
      `${director}: report_signature SIGN`,
      `${staff}: requisition DELIVERY`,
      `${staff}: payment BILLING`,
    ]
    const ofOne = {
      hl7: [
        'Desert Ridge by HL7: requisition CREATE',
        'Cobas c503: requisition RESULT',
        `${staff}: requisition INSTRUMENT`,
        `${staff}: requisition TEST`,
        `${staff}: report_signature VOID`,
        `${director}: requisition DELIVERY`,
      ],
      fhir: [
        'Desert Ridge by FHIR: requisition CREATE',
        `${staff}: requisition RESULT`,
        `${staff}: requisition CRITICAL`,
        'Clara Haddad: home_review REVIEWED',
      ],
      paper: [
        `${staff}: requisition CREATE`,
        `${staff}: document DOC`,
        'Cobas c503: requisition RESULT',
        `${staff}: requisition_icd BILLING`,
        `${staff}: billing BILLING`,
      ],
    }
    for (const order of ['hl7', 'fhir', 'paper'] as const) {
      const audit = await auditOf(await calls('management'), ids[order])
      const taken = new Set(audit.map(({ by, entity, action }) => `${by}: ${entity} ${action}`))
      expect(
        [...ofAll, ...ofOne[order]].filter((step) => !taken.has(step)),
        order,
      ).toEqual([])
    }
  })
  await test.step('and the audit is whole', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['scripts/run.mjs', 'apps/server/src/cli/audit-verify.ts'],
      {
        cwd: join(import.meta.dirname, '../..'),
        env: { ...process.env, LIS_DATA_DIR: product.dataDir },
      },
    )
    expect(stdout).toMatch(/^\d+ audit rows, \d+ seals and 4 signatures checked, 0 faults$/m)
  })
  chemistry.close()
  practice.close()
})

// ── what people do on the screens ───────────────────────────────────────────────────────────────────────────────────

const listOf = (status: string, ids: readonly number[]) => {
  const filter = JSON.stringify([{ id: 'reqId', value: ids.map(String), viewValue: ids.join(', ') }])
  return `/requisitions?status=${status}&smartFilter=${encodeURIComponent(filter)}`
}
/** Ticks these requisitions in the list of their status and runs an action on them. */
const bulk = async (page: Page, status: string, ids: readonly number[], action: string, confirm: RegExp) => {
  // With more actions than there is room for, the last ones are in a menu.
  const isInMenu = action === 'Run billing'
  await page.goto(listOf(status, ids))
  for (const id of ids) await page.getByRole('checkbox', { name: new RegExp(`^Select #${id} `) }).check()
  if (isInMenu) await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole(isInMenu ? 'menuitem' : 'button', { name: action, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: confirm }).click()
  await expect(dialog).toHaveCount(0)
}
const moveOn = (page: Page, from: string, ids: readonly number[], to: string) =>
  bulk(page, from, ids, `Next status: ${to}`, new RegExp(`^Move ${ids.length} `))

const choose = async (page: Page, label: string | RegExp, option: string) => {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Reads the report of this patient, ticks what is to be seen, and signs. */
const signOne = async (page: Page, patient: string) => {
  await page
    .getByRole('list', { name: 'Need a look' })
    .getByRole('button', { name: new RegExp(`^${patient}`) })
    .click()
  await expect(
    page.getByRole('img', { name: new RegExp(`^Report of #\\d+ \\| ${patient}`) }).locator('canvas'),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Sign…' }).click()
  for (const seen of await page.getByRole('dialog').getByRole('checkbox').all()) await seen.check()
  await sign(page)
  await expect(page.getByText('Signed and released', { exact: true }).first()).toBeVisible()
}
/** With the password, and with a code at the first signature of a session. */
const sign = async (page: Page) => {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Password' }).fill(demoPassword)
  const sendCode = dialog.getByRole('button', { name: 'Send code' })
  if (await sendCode.isVisible()) {
    const code = await expectCode(page.request)
    await sendCode.click()
    await dialog.getByRole('textbox', { name: 'Authentication code' }).fill(await code())
  }
  await dialog.getByRole('button', { name: 'Sign and release' }).click()
  await expect(dialog).toHaveCount(0)
}

const pay = async (page: Page, { payer, amount, number }: Record<'payer' | 'amount' | 'number', string>) => {
  const form = page.getByRole('region', { name: 'Add Payment' })
  await choose(page, 'Payment Type', 'Check')
  await choose(page, 'Payer Type', payer)
  await form.getByLabel('Paid By').fill(`${payer} of the order`)
  await form.getByLabel('Amount').fill(amount)
  await form.getByLabel('Check/Confirmation Number').fill(number)
  const [year = '', month = '', day = ''] = daysAgo(1).split('-')
  for (const [part, value] of Object.entries({ Month: month, Day: day, Year: year }))
    await form.getByLabel(`Payment ${part}`).fill(value)
  await form.getByLabel('Note').fill('Paid in full')
  await form.getByRole('button', { name: 'Add Payment' }).first().click()
}

// ── what the product says about the orders ──────────────────────────────────────────────────────────────────────────

/** The practice has reviewed everything of the days before, so that Home shows the results of this day. */
const reviewNewResults = async (practice: Calls) => {
  const newIds = async (): Promise<number[]> =>
    (await practice.get('home')).newResults.map(({ reqId }: { reqId: number }) => reqId)
  for (let reqIds = await newIds(); reqIds.length > 0; reqIds = await newIds())
    await practice.put('home/reviewed', { reqIds })
}

const statusOf = async (api: Calls, reqId: number): Promise<string> =>
  (await api.get(`requisitions/${reqId}`)).reqStatusCode

/** The states of the results of an order by test, in the order in which they came. */
const statesOf = async (api: Calls, reqId: number): Promise<Record<string, string[]>> => {
  const rows: { testCode: string; state: string }[] = await api.get(
    `instrument_results?filter=[reqId:${reqId}]&sort=[id,ASC]`,
  )
  const byTest = Map.groupBy(rows, ({ testCode }) => testCode)
  return Object.fromEntries([...byTest].map(([testCode, results]) => [testCode, results.map(({ state }) => state)]))
}

/** The ways by which a version has reached its receivers. */
const deliveredBy = async (api: Calls, reqId: number, versionNo: number): Promise<string[]> => {
  const rows: { versionNo: number; transmitMethodCode: string; deliveryState: string }[] = await api.get(
    `requisitions/${reqId}/deliveries`,
  )
  const there = ['SENT', 'CONFIRMED', 'OPENED']
  return rows
    .filter((row) => row.versionNo === versionNo && there.includes(row.deliveryState))
    .map((row) => row.transmitMethodCode)
    .sort()
}

interface AuditEntry {
  by: string
  entity: string
  action: string
}
/** The audit of an order, as its dossier holds it. */
const auditOf = async (api: Calls, reqId: number): Promise<AuditEntry[]> => {
  const { url } = await api.post(`requisitions/${reqId}/dossier`)
  const zip = Buffer.from(await (await fetch(url)).arrayBuffer())
  return JSON.parse(String((await unzip(zip))['dossier.json'])).audit
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

/** The requisition that a message of the practice has made. */
const requisitionOf = async (api: Calls, controlId: string): Promise<number> => {
  await expect
    .poll(async () => (await api.get(`interface_messages?filter=[controlId:${controlId}]`))[0]?.state)
    .toBe('ACCEPTED')
  return (await api.get(`interface_messages?filter=[controlId:${controlId}]`))[0].reqId
}

const tokenOf = async (request: APIRequestContext, secret: string): Promise<string> => {
  const reply = await request.post('/oauth2/token', {
    headers: { authorization: `Basic ${secret}` },
    form: { grant_type: 'client_credentials', scope: 'system/*.cruds' },
  })
  return (await reply.json()).access_token
}
