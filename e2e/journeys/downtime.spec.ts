import { writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { bearer, sessionOf } from '../support/people.ts'
import { downtimePassword } from '../support/product.ts'
import { callsOf, newRequisition, unique } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

test('DAY-34 the downtime kit opens from disk without a network, asks for the password, and shows the work', async ({
  browser,
  page,
  playwright,
  baseURL,
}, testInfo) => {
  const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) })
  const session = await sessionOf(request, 'staff')
  const api = callsOf(page.request, session)
  const lastName = unique('Offline')
  const id = await newRequisition(api, { patientLastName: lastName })
  const { labId } = await api.get(`requisitions/${id}`)
  const { url } = await api.post(`labs/${labId}/downtime_kit`)
  const file = testInfo.outputPath('kit.html')
  await writeFile(file, await (await request.get(url, { headers: bearer(session) })).body())
  await request.dispose()
  const context = await browser.newContext({ offline: true })
  const kit = await context.newPage()
  await kit.goto(pathToFileURL(file).href)
  expect(await kit.content()).not.toContain(lastName)
  await kit.getByLabel('Password').fill('not the password')
  await kit.getByRole('button', { name: 'Open' }).click()
  await expect(kit.getByText('Wrong password')).toBeVisible()
  expect(await kit.content()).not.toContain(lastName)
  await kit.getByLabel('Password').fill(downtimePassword)
  await kit.getByRole('button', { name: 'Open' }).click()
  await expect(kit.getByRole('row', { name: new RegExp(lastName) })).toContainText(String(id))
  for (const part of ['Last results', 'Blank forms', 'Labels']) {
    await kit.getByRole('tab', { name: part }).click()
    await expect(kit.getByRole('tab', { name: part })).toHaveAttribute('aria-selected', 'true')
  }
  await expect(kit.getByText(lastName)).toBeVisible()
  await context.close()
})
