import type { APIRequestContext } from '@playwright/test'
import { orderBundle } from '../../apps/server/test/order-bundle.ts'
import { bearer, sessionOf, uniqueName } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

/** The system of a practice that orders by FHIR, for a client of the demo that orders electronically. */
const openPractice = async (request: APIRequestContext) => {
  const headers = bearer(await sessionOf(request, 'admin'))
  const get = async (path: string) => (await (await request.get(`/api/v3.0/${path}`, { headers })).json()).data
  const make = async (path: string, data: object) => {
    const reply = await request.post(`/api/v3.0/${path}`, { headers, data })
    expect(reply.status(), await reply.text()).toBe(200)
    return (await reply.json()).data
  }
  const [held] = await get('interface_messages?perPage=1&filter=[state:HELD,kind:HL7]')
  const { clientId } = await get(`interfaces/${held.interfaceId}`)
  const [physician] = (await get(`interface_messages/${held.id}`)).physicians
  const name = `Practice ${uniqueName()}`
  const api = await make('api_clients', {
    name,
    userRoleCode: 'CLNT',
    entityId: clientId,
    scopes: ['system/*.cruds'],
    useSecret: 1,
  })
  await make('interfaces', { name, kind: 'FHIR', clientId, apiClientId: api.id })
  const token = await request.post('/oauth2/token', {
    headers: { authorization: `Basic ${btoa(`${api.clientId}:${api.clientSecret}`)}` },
    form: { grant_type: 'client_credentials' },
  })
  const { access_token: bearerToken } = await token.json()
  const order = async (code: string): Promise<string> => {
    const placer = uniqueName()
    const reply = await request.post('/fhir/R4', {
      headers: { authorization: `Bearer ${bearerToken}`, 'content-type': 'application/fhir+json' },
      data: JSON.stringify(orderBundle({ placer, code, npi: physician.physNpi })),
    })
    expect(reply.status(), await reply.text()).toBe(202)
    return placer
  }
  return { name, order }
}

test('IFC-05 at the desk a code is mapped and three messages reprocessed at once, another is dismissed with a reason', async ({
  page,
  signIn,
  look,
  expectAccessible,
}) => {
  const { name, order } = await openPractice(page.request)
  const code = `GLY${uniqueName().toUpperCase()}`
  for (let n = 0; n < 3; n++) await order(code)
  const unwanted = await order(`OFF${uniqueName().toUpperCase()}`)
  await signIn(page, 'staff', '/interfaces?show=HELD')
  const list = page.getByRole('list', { name: 'Messages' })
  const pane = page.getByRole('region', { name: 'Message' })

  await test.step('IFC-06 the menu counts what waits, also beside the collapsed sidebar', async () => {
    const menu = page.getByRole('navigation', { name: 'Main' })
    const collapse = page.getByRole('button', { name: 'Collapse sidebar' })
    if (await collapse.isVisible()) await collapse.click()
    await expect(menu.getByRole('link', { name: /^Interfaces, \d+ waiting/ })).toBeVisible()
    await page.getByRole('button', { name: 'Expand sidebar' }).click()
    await expect(menu.getByRole('link', { name: /^Interfaces/ }).getByLabel(/^\d+ waiting/)).toBeVisible()
    await page.getByRole('button', { name: 'Collapse sidebar' }).click()
  })

  await list.getByRole('button').filter({ hasText: name }).filter({ hasText: code }).first().click()
  await expect(pane.getByRole('heading', { name: `${code} is not a test we know` })).toBeVisible()
  await pane.getByLabel(`${code} means`).fill('A1C')
  await page.getByRole('option', { name: /A1C/ }).first().click()
  await look(page, 'interface-desk', [1440, 1024])
  await expectAccessible(page)
  await pane.getByRole('button', { name: 'Map and reprocess 3' }).click()
  await expect(page.getByText(/Requisition #\d+ and 2 more/)).toBeVisible()
  await expect(list.getByText(code)).toHaveCount(0)

  const find = async (text: string) => {
    await page.getByRole('searchbox').fill(text)
    await expect(list.getByRole('button')).toHaveCount(1)
    await list.getByRole('button').click()
  }
  await find(unwanted)
  await pane.getByRole('button', { name: 'Dismiss' }).click()
  const dialog = page.getByRole('dialog', { name: 'Dismiss this message' })
  await dialog.getByRole('button', { name: 'Dismiss' }).click()
  await expect(dialog.getByText(/Reason is required/)).toBeVisible()
  await dialog.getByLabel('Reason').fill('Ordered by phone')
  await dialog.getByRole('button', { name: 'Dismiss' }).click()
  await expect(dialog).toBeHidden()

  await page.goto('/interfaces?show=all')
  await find(unwanted)
  await expect(list.getByText('Ordered by phone')).toBeVisible()
  await expect(pane.getByText('Dismissed', { exact: true }).first()).toBeVisible()
  await expect(pane.getByRole('button', { name: 'Dismiss' })).toHaveCount(0)
})
