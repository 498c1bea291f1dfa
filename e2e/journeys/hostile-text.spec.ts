import type { APIRequestContext, Page } from '@playwright/test'
import { bearer, managementSession, openAs, uniqueName } from '../support/people.ts'
import { daysAgo } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

/** Text that would run if any screen took it for markup, a link or a template. */
const image = '<img src=x onerror=hacked=1>'
const drawing = '"><svg onload=hacked=1>'
const link = 'javascript:hacked=1//'
/** A name takes no angle brackets. */
const handler = '" onmouseover="hacked=1'
const formula = '=HYPERLINK("//evil.example")'

type Send = <T = { id: number }>(path: string, data: object) => Promise<T>

const sender =
  (request: APIRequestContext, headers: Record<string, string>): Send =>
  async (path, data) => {
    const reply = await request.post(`/api/v3.0/${path}`, { headers, data })
    expect(reply.status(), `${path}: ${await reply.text()}`).toBe(200)
    return (await reply.json()).data
  }

/** One record of each kind, every text of it hostile. */
const hostileRecords = async (request: APIRequestContext) => {
  const headers = bearer(await managementSession(request))
  const send = sender(request, headers)
  const first = async (path: string, pick: (row: Record<string, unknown>) => boolean = () => true) => {
    const { data } = await (await request.get(`/api/v3.0/${path}`, { headers })).json()
    return (data as Record<string, unknown>[]).find(pick) as Record<string, number>
  }
  const tag = uniqueName()
  const country = (await first('countries', ({ countryCode }) => countryCode === 'US')).id
  const state = (await first(`countries/${country}/states`)).id
  const lab = (await first('labs')).id
  const collaborator = await send('collaborators', {
    ...{
      colaName: `${image} ${tag}`,
      colaAlias: `${drawing}${tag}`.slice(0, 50),
      colaCountryId: country,
      colaStateId: state,
    },
    ...{
      colaCity: image,
      colaZip: '85004',
      colaAddr1: drawing,
      colaAddr2: link,
      colaNote: image,
      colaOfficeContact: drawing,
    },
    ...{ colaLabDirector: image, reportNameFormatCode: 'REQID', isLisInterface: 0, isOrderIdAvailable: 0 },
  })
  const client = await send('clients', {
    ...{
      clientName: `${image} ${tag}`,
      clientAddr1: drawing,
      clientAddr2: link,
      clientCountryId: country,
      clientCity: image,
    },
    ...{ clientStateId: state, clientZip: '85004', clientPhone: '16025550100', colaId: collaborator.id, labIds: [lab] },
    ...{
      clientTransmitMethodCode: 'EMAIL',
      clientEmail: `${tag}@example.com`,
      clientBillTypeCode: 'CLIENT',
      clientNote: image,
      clientDeliveryNote: drawing,
    },
    ...{ clientName2: drawing, clientTz: 'America/Phoenix' },
  })
  const npi = `1${String(Date.now()).slice(-9)}`
  const physician = await send('physicians', {
    ...{ physFirstName: drawing, physLastName: `${image} ${tag}`.slice(0, 50), physTitle: 'MD', npiNumber: npi },
    ...{ ptanNumber: link.slice(0, 20), clientIds: [client.id], answers: { SAME_PHYSICIAN: 'SAVE' } },
  })
  const sales = await send('sales', {
    ...{
      salesFirstName: image,
      salesLastName: `${drawing} ${tag}`,
      salesEmail: `${tag}@example.com`,
      salesTitle: 'Manager',
    },
    ...{ salesTypeCode: 'SLS', salesCompanyName: link, salesNote: image },
  })
  const user = await send('mfa/users', {
    ...{
      userName: tag,
      userFirstName: image,
      userLastName: drawing,
      userEmail: `${tag}@example.com`,
      userRoleCode: 'CLNT',
    },
    ...{ userPhone: '16025550111', deptIds: [1], isSubscribed: 1, entityId: client.id },
  })
  const program = await first('programs')
  const event = await send('events', { eventName: image, programId: program.id, clientId: client.id })
  const doctor = await first(`clients/${client.id}/physicians`)
  const requisition = await send('requisitions', {
    ...{
      clientId: client.id,
      orderingClientPhysId: doctor.clientPhysId,
      eventId: event.id,
      labId: lab,
      collaborator: collaborator.id,
    },
    ...{ extOrderId: drawing, collectedBy: image, patientFirstName: formula, patientMiddleName: link },
    ...{ patientLastName: `${handler} ${tag}`, patientGenderCode: 'FEMALE', patientDob: '1980-02-03', isNewPatient: 1 },
    dateCollected: `${daysAgo(14)}T10:00:00Z`,
  })
  await hostileParts(request, send, requisition.id, (await first('lab_note_types')).id as number)
  return { tag, collaborator, client, physician, sales, user, requisition }
}

const hostileParts = async (request: APIRequestContext, send: Send, id: number, noteType: number) => {
  const at = `requisitions/${id}`
  const desk = { reporterDeptId: 1, resolverDeptId: 1 }
  const issue = await send(`${at}/issues`, { ...desk, issueDesc: image, issueNote: drawing })
  await send(`${at}/issues/${issue.id}/work_logs`, { issueWorkLog: link + image })
  await send(`${at}/lab_notes`, { labNoteTypeId: noteType, note: image })
  await send(`${at}/bill_notes`, { note: drawing })
  await send(`${at}/payments`, {
    ...{ paymentTypeCode: 'CHECK', payerTypeCode: 'CLIENT', payer: image, amount: '10.00', paymentNo: drawing },
    ...{ paymentNote: formula, paymentDate: '11/01/2026' },
  })
  const fileName = `${image}.pdf`
  const slot = await send<{ url: string; fields: Record<string, string>; newFileName: string }>(`${at}/upload`, {
    fileName,
    docTypeCode: 'SCANREQ',
  })
  const file = { name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n1 0 obj<<>>endobj\n') }
  await request.post(slot.url, { multipart: { ...slot.fields, file } })
  await send(`${at}/scanreqs`, { originalFileName: fileName, fileName: slot.newFileName })
}

const expectHarmless = async (page: Page, path: string) => {
  expect(await page.evaluate('typeof hacked'), path).toBe('undefined')
  expect(await page.locator('img[src="x"], svg[onload], a[href^="javascript:" i]').count(), path).toBe(0)
}

test('hostile text in every field is shown as text, runs nowhere, and nothing is asked of other hosts', async ({
  page,
  baseURL,
}) => {
  const made = await hostileRecords(page.request)
  const foreign: string[] = []
  page.on('dialog', (dialog) => foreign.push(`dialog ${dialog.message()}`))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (/^https?:$/.test(protocol) && origin !== baseURL) foreign.push(request.url())
  })
  await openAs(page, await managementSession(page.request), '/')

  const list = (resource: string, id: string, value = made.tag) =>
    `/${resource}?status=All&smartFilter=${encodeURIComponent(JSON.stringify([{ id, value, viewValue: value }]))}`
  const at = `/requisitions/${made.requisition.id}/show`
  const pages: [string, string][] = [
    [list('requisitions', 'reqId', String(made.requisition.id)), handler],
    [list('collaborators', 'colaName'), image],
    [`/collaborators/${made.collaborator.id}/show`, drawing],
    [list('clients', 'clientName'), image],
    [`/clients/${made.client.id}/show`, drawing],
    [list('physicians', 'physLastName'), image],
    [`/physicians/${made.physician.id}/show`, image],
    [list('sales', 'salesLastName'), drawing],
    [`/sales/${made.sales.id}/show`, image],
    [list('users', 'userName'), image],
    [`/users/${made.user.id}/show`, drawing],
    [at, image],
    [`${at}/issues`, image],
    [`${at}/activity`, 'History'],
    [`${at}/labNotes`, image],
    [`${at}/billing`, drawing],
    [`${at}/payments`, formula],
  ]
  const unseen: string[] = []
  for (const [path, text] of pages) {
    await page.goto(path)
    const shown = page.getByRole('main').getByText(text).first()
    await shown.waitFor({ timeout: 30_000 }).catch(() => unseen.push(path))
    await expectHarmless(page, path)
  }
  expect(unseen).toEqual([])
  for (const kind of ['collaborators', 'clients', 'physicians', 'sales', 'users'] as const) {
    const { id } =
      made[
        { collaborators: 'collaborator', clients: 'client', physicians: 'physician', sales: 'sales', users: 'user' }[
          kind
        ] as 'client'
      ]
    await page.goto(`/${kind}/${id}`)
    await expect(page.getByRole('main').getByRole('textbox').first()).toHaveValue(/hacked|p\w+/)
    await expectHarmless(page, kind)
  }
  expect(foreign).toEqual([])
})
