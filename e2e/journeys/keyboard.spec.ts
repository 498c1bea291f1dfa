import type { Locator } from '@playwright/test'
import { openAs, sessionOf } from '../support/people.ts'
import { callsOf, card, newRequisition, text, unique } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

/** What is wrong with the focused element: it, or the frame around it, must show a ring and be visible. */
const focusFault = (goal: Element | null) => {
  const one = document.activeElement
  if (!one || one === document.body) return { isThere: false, fault: 'nothing has the focus' }
  const { top, right, bottom, left } = one.getBoundingClientRect()
  const isInView = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
  const rings = [one, one.parentElement, one.parentElement?.parentElement].filter((at) => {
    const { boxShadow, outlineStyle } = at ? getComputedStyle(at) : { boxShadow: 'none', outlineStyle: 'none' }
    return boxShadow !== 'none' || outlineStyle !== 'none'
  })
  const fault =
    isInView && rings.length > 0 ? '' : `${isInView ? 'no ring' : 'out of view'}: ${one.outerHTML.slice(0, 200)}`
  return { isThere: one === goal, fault }
}

test('a keyboard alone: filter the list, sort, tick, ask for a bulk action and leave it, open a requisition, change its tab, edit and save', async ({
  page,
}) => {
  const session = await sessionOf(page.request, 'staff')
  const lastName = unique('Keys')
  const id = await newRequisition(callsOf(page.request, session), { patientLastName: lastName })
  const press = (key: string) => page.keyboard.press(key)
  /** Key by key to something; whatever has the focus on the way shows it. */
  const walkTo = async (what: Locator, key = 'Tab') => {
    const goal = await what.elementHandle()
    // A part of a time that is full has moved the focus on already.
    if ((await page.evaluate(focusFault, goal)).isThere) return
    for (let step = 0; step < 30; step++) {
      await press(key)
      const { isThere, fault } = await page.evaluate(focusFault, goal)
      expect(fault).toBe('')
      if (isThere) return
    }
    throw new Error(`${what} was not reached`)
  }
  await openAs(page, session, '/requisitions?status=Logged')
  const table = page.getByRole('table').first()
  await expect(table).toHaveAttribute('aria-busy', 'false')

  // The search field has its own key; the reopened panel takes the focus past the table.
  await press('/')
  await expect(page.getByRole('searchbox', { name: 'Search Requisition' })).toBeFocused()
  await walkTo(page.getByRole('button', { name: 'View & Filters', exact: true }), 'Shift+Tab')
  await press('Enter')
  await press('Enter')
  await expect(page.getByRole('tab', { name: 'Sort and Filter' })).toBeFocused()
  await walkTo(text(page, 'Patient Last Name'))
  await page.keyboard.type(lastName)
  await press('Enter')
  const tick = page.getByRole('checkbox', { name: new RegExp(`^Select #${id} `) })
  await expect(table.locator('tbody tr.row')).toHaveCount(1)
  await expect(tick).toBeVisible()

  const sort = page.getByRole('columnheader', { name: 'Req ID' }).getByRole('button')
  await walkTo(sort, 'Shift+Tab')
  await press('Enter')
  await expect(page.getByRole('columnheader', { name: 'Req ID' })).toHaveAttribute('aria-sort', 'descending')
  await expect(table).toHaveAttribute('aria-busy', 'false')
  await walkTo(tick)
  await press('Space')
  await expect(page.getByText('1 selected')).toBeVisible()
  await walkTo(page.getByRole('button', { name: 'Delete', exact: true }))
  await press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  await walkTo(dialog.getByRole('button', { name: 'Cancel' }))
  await press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(tick).toBeChecked()

  await walkTo(table.getByRole('link', { name: String(id) }), 'Shift+Tab')
  await press('Enter')
  await expect(page).toHaveURL(new RegExp(`/requisitions/${id}/show`))
  const tabs = page.getByRole('link', { name: 'Status', exact: true })
  await expect(tabs).toBeVisible()
  await walkTo(tabs)
  await press('Enter')
  await expect(page).toHaveURL(/\/show\/status$/)
  await walkTo(page.getByRole('link', { name: 'View', exact: true }), 'Shift+Tab')
  await press('Enter')
  const info = card(page, 'Requisition Information')
  await expect(info).toBeVisible()
  await walkTo(info.getByRole('button', { name: 'Edit' }))
  await press('Enter')
  await expect(page.getByRole('combobox', { name: 'Collaborator' })).toBeFocused()
  for (const [name, value] of [
    ['Centrifuged Hour', '11'],
    ['Centrifuged Min', '40'],
    ['Collected By', 'K. Board'],
  ] as const) {
    await walkTo(text(page, name))
    await page.keyboard.type(value)
  }
  await walkTo(info.getByRole('button', { name: 'Save' }).first(), 'Shift+Tab')
  await press('Enter')
  await expect(page.getByText('Successfully updated').first()).toBeVisible()
  await expect(info).toContainText('K. Board')
  await expect(info.getByRole('button', { name: 'Edit' })).toBeFocused()
})
