import { expect, test } from '../support/test.ts'

test('IFC-40 an API client is made with a secret shown once, gets a new one, and is revoked', async ({
  page,
  signIn,
  look,
  expectAccessible,
}) => {
  const name = `Clinic system ${Date.now()}`
  await signIn(page, 'admin', '/api-clients/create')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Role').click()
  await page.getByRole('option', { name: 'Billing' }).click()
  await page.getByLabel('Scopes').fill('system/*.rs lis/read')
  await expect(page.getByLabel('Public Keys', { exact: true })).toHaveCount(0)
  await page.getByRole('radio', { name: /A key of its own/ }).check()
  await page.getByLabel('Public Keys', { exact: true }).fill('no keys')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText('Public Keys must be a JSON Web Key Set with 1 to 20 keys')).toBeVisible()
  await page.getByRole('radio', { name: /A secret, made here/ }).check()
  await page.getByRole('button', { name: 'Create' }).click()

  const dialog = page.getByRole('dialog', { name: 'Secret of the API client' })
  const secretIn = async () => (await dialog.locator('code').nth(1).textContent()) ?? ''
  await expect(dialog).toBeVisible()
  const [clientId, secret] = await dialog.locator('code').allTextContents()
  await look(page, 'api-client-secret')
  const signInAs = async (value: string) =>
    (
      await page.request.post('/oauth2/token', {
        headers: { authorization: `Basic ${btoa(`${clientId}:${value}`)}` },
        form: { grant_type: 'client_credentials', scope: 'lis/read' },
      })
    ).status()
  expect(await signInAs(secret ?? '')).toBe(200)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()

  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await expect(page.getByText('Active', { exact: true })).toBeVisible()
  await look(page, 'api-client')
  await expect(page.getByText(secret ?? '')).toHaveCount(0)
  await page.getByRole('button', { name: 'New secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
  await expect(dialog).toBeVisible()
  const next = await secretIn()
  expect([await signInAs(secret ?? ''), await signInAs(next)]).toEqual([401, 200])
  await dialog.getByRole('button', { name: 'I have copied it' }).click()

  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByText('Revoked', { exact: true })).toBeVisible()
  expect(await signInAs(next)).toBe(401)
  await page.goto('/api-clients')
  await expect(page.getByRole('row').filter({ hasText: name })).toContainText('Revoked')
  await look(page, 'api-clients')
  await expectAccessible(page)
})

test('IFC-42 IFC-45 a webhook is made with a secret shown once, sends a test, and shows what has become of it', async ({
  page,
  signIn,
  look,
  expectAccessible,
}) => {
  const name = `Portal ${Date.now()}`
  await signIn(page, 'admin', '/webhooks/create')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Address').fill('https://127.0.0.1/hook')
  await page.getByRole('checkbox', { name: 'order.held' }).check()
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(
    page
      .getByRole('alert')
      .filter({ hasText: /^Address / })
      .first(),
  ).toBeVisible()
  // No name of this domain can be resolved, so the test stays where it is and is tried again.
  await page.getByLabel('Address').fill('https://receiver.invalid/hook')
  await page.getByRole('button', { name: 'Create' }).click()
  const dialog = page.getByRole('dialog', { name: 'Secret of the webhook' })
  await expect(dialog.locator('code')).toHaveText(/^whsec_/)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()

  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await page.getByRole('button', { name: 'Send a test' }).click()
  const delivery = page.getByRole('row').filter({ hasText: 'webhook.test' })
  await expect(delivery).toContainText('Retrying')
  await expect(delivery).toContainText('receiver.invalid')
  await look(page, 'webhook')
  await page.getByRole('button', { name: 'New secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
  await expect(dialog.locator('code')).toHaveText(/^whsec_/)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await expectAccessible(page)
  await page.goto('/webhooks')
  await expect(page.getByRole('row').filter({ hasText: name })).toContainText('receiver.invalid')
})
