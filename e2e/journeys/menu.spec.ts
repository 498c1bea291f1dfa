import { accounts } from '../support/accounts.ts'
import { openAs, sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

const superAdmins = ['admin', 'management', 'staff']
const withClient = [...superAdmins, 'client']
const allButBilling = accounts.filter((account) => account !== 'billing')

/** Each item of the menu with its address. */
const items = [
  ['SHELL-24 SHELL-08', 'Collaborators', '/collaborators'],
  ['SHELL-25 SHELL-05', 'Clients', '/clients'],
  ['SHELL-26 SHELL-06', 'Physicians', '/physicians'],
  ['SHELL-27 SHELL-07', 'Sales', '/sales'],
  ['SHELL-28 SHELL-03', 'Requisitions', '/requisitions'],
  ['SHELL-29 SHELL-10', 'Reports', '/reports'],
  ['SHELL-30 SHELL-09', 'Users', '/users'],
  ['SHELL-31 SHELL-11', 'Test Reports Upload', '/test-reports-upload'],
  ['SHELL-32 SHELL-43', 'User Profile', '/user-profile'],
  ['SHELL-34 SHELL-12', 'Freezer Reverse Lookup', '/freezer-specs'],
  ['SHELL-35 SHELL-13', 'Batch CSV Upload', '/batch-csv-upload'],
] as const

/** Who sees which item. */
const seenBy: readonly (readonly [id: string, label: string, accounts: readonly string[]])[] = [
  ['PERM-060', 'Collaborators', superAdmins],
  ['PERM-061', 'Sales', superAdmins],
  ['PERM-062', 'Reports', superAdmins],
  ['PERM-063', 'Test Reports Upload', superAdmins],
  ['PERM-064', 'Freezer Reverse Lookup', superAdmins],
  ['PERM-065', 'Clients', withClient],
  ['PERM-066', 'Physicians', withClient],
  ['PERM-067', 'Requisitions', allButBilling],
  ['PERM-068', 'Batch CSV Upload', superAdmins],
]

test('SHELL-33 the menu leads each role to its pages, the rarer ones under More', async ({ page }) => {
  const seen: Record<string, Record<string, string>> = {}
  for (const account of accounts) {
    await openAs(page, await sessionOf(page.request, account), '/')
    const menu = page.getByRole('navigation', { name: 'Main' })
    const expand = page.getByRole('button', { name: 'Expand sidebar' })
    await expect(menu.getByRole('link', { name: 'User Profile' })).toBeVisible()
    if (await expand.isVisible()) await expand.click()
    const more = menu.getByRole('button', { name: 'More' })
    if (superAdmins.includes(account)) await more.click()
    else await expect(more).toHaveCount(0)
    if (superAdmins.includes(account))
      await expect(menu.getByRole('link', { name: 'Freezer Reverse Lookup' })).toBeVisible()
    const links = await menu
      .getByRole('link')
      .evaluateAll((nodes) => nodes.map((node) => [(node.textContent ?? '').trim(), node.getAttribute('href') ?? '']))
    seen[account] = Object.fromEntries(links)
  }
  for (const [id, label, to] of items)
    await test.step(`${id} ${label} leads to ${to}`, () => expect(seen.management?.[label]).toBe(to))
  for (const [id, label, expected] of seenBy)
    await test.step(`${id} ${label} is shown to those who may`, () =>
      expect(accounts.filter((account) => seen[account]?.[label] !== undefined).toSorted()).toEqual(
        expected.toSorted(),
      ))
})
