import { join } from 'node:path'
import { managementSession, newPerson, openAs, sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

// To be looked at, beside the design pictures. Not committed.
const screens = join(import.meta.dirname, '../../test-results/screens')
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme })
    // In the dark only the colours differ, and one size shows them.
    for (const viewport of colorScheme === 'light' ? sizes : sizes.slice(0, 1)) {
      test(`axe finds nothing on the pages of users and the own profile, ${colorScheme} at ${viewport.width}`, async ({
        page,
        expectAccessible,
      }) => {
        test.setTimeout(90_000)
        await page.setViewportSize(viewport)
        const look = async (name: string) => {
          await expectAccessible(page)
          await page.screenshot({ path: join(screens, `${name}-${colorScheme}-${viewport.width}.png`) })
        }
        const button = (name: string) => page.getByRole('button', { name, exact: true }).locator('visible=true')
        const person = await newPerson(page.request)
        await openAs(page, await managementSession(page.request), '/users/create')
        await expect(page.getByRole('checkbox').nth(3)).toBeVisible()
        await button('Create').click()
        await expect(page.getByText('Role is required')).toBeVisible()
        await look('user-create-errors')
        await page.goto(`/users/${person.id}`)
        await expect(page.getByRole('checkbox').nth(3)).toBeVisible()
        await page.getByRole('combobox', { name: 'Role' }).click()
        await look('user-edit-role')
        await page.getByRole('option', { name: 'Staff' }).click()
        await expect(page.getByText(/A new role changes/)).toBeVisible()
        await look('user-edit')
        await button('Delete').click()
        await look('user-delete')
        await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
        const own = await sessionOf(page.request, person.userName, person.password)
        page.on('dialog', (dialog) => dialog.accept())
        await page.goto(`/users/${person.id}/show`)
        await expect(page.getByText(person.email)).toBeVisible()
        await look('user-show')
        await openAs(page, own, '/user-profile')
        await expect(page.getByText(person.email)).toBeVisible()
        await expect(page.getByText('At each sign-in a code is sent to your phone.')).toBeVisible()
        await expect(page.getByRole('region', { name: 'Where You Are Signed In' }).getByRole('listitem')).toHaveCount(1)
        await look('profile')
        await button('Change Password').click()
        await button('Save').click()
        await expect(page.getByText('Current password is required')).toBeVisible()
        await page.getByRole('button', { name: 'Use an authenticator app' }).click()
        await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible()
        await look('profile-working')
        await page.goto('/reset/some-link')
        await button('Reset').click()
        await expect(page.getByText('Username is required')).toBeVisible()
        await look('reset-errors')
        await page.goto('/unsubscribe/00000000-0000-4000-8000-000000000000')
        await expect(page.getByRole('status').filter({ hasText: 'This link is not valid.' })).toBeVisible()
        await look('unsubscribe-failed')
      })
    }
  })
}
